// The folder of the programs, and their list, which tests read.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Options of `spawn` for programs that refuse to run as root: a user and a group without rights. */
export const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const usualList = resolve('node_modules/.cache/headgate/programs.json');

/** A folder that the programs' users can read; a clone that belongs to root may not be readable. */
export function cacheFolder() {
  const usual = resolve('node_modules/.cache/headgate');
  mkdirSync(usual, { recursive: true });
  if (process.getuid?.() !== 0) return usual;
  if (spawnSync('test', ['-x', usual], unprivileged).status === 0) return usual;
  const folder = '/var/cache/headgate';
  mkdirSync(folder, { recursive: true });
  // Whatever the umask of this process.
  chmodSync(folder, 0o755);
  return folder;
}

/** The programs that were found before, by name. */
export function readPrograms() {
  return existsSync(usualList) ? JSON.parse(readFileSync(usualList, 'utf8')) : {};
}

export function writePrograms(programs, list = usualList) {
  const text = `${JSON.stringify(programs, null, 2)}\n`;
  if (existsSync(list) && readFileSync(list, 'utf8') === text) return;
  mkdirSync(dirname(list), { recursive: true });
  // Written under another name first: another process may be reading the list.
  writeFileSync(`${list}.${process.pid}`, text);
  renameSync(`${list}.${process.pid}`, list);
}

/**
 * Returns the folder `name` of the cache, and fills it with `fill` if it does not exist. It is filled under another
 * name and then renamed: if two commands do so at once, one wins, and neither leaves a partial folder.
 */
export function cached(name, fill) {
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  const work = mkdtempSync(`${folder}.`);
  // Readable by the user that runs the program, whatever the umask of this process.
  chmodSync(work, 0o755);
  const umask = process.umask(0o022);
  try {
    fill(work);
    renameSync(work, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    process.umask(umask);
    for (const left of [work, `${work}-apt`]) rmSync(left, { recursive: true, force: true });
  }
  return folder;
}
