import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryFolder } from '@headgate/test-kit/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../docs/test/pages.ts';
import { cached, cacheFolder, unprivileged } from '../programs/cache.mjs';

test('what an interrupted process has left is not used by a later one with the same ID', () => {
  const name = `left-${process.pid}`;
  const left = join(cacheFolder(), `${name}.${process.pid}`);
  mkdirSync(left);
  writeFileSync(join(left, 'partial'), '');
  const filled = cached(name, (work: string) => writeFileSync(join(work, 'whole'), ''));
  onTestFinished(() => {
    for (const path of [left, filled]) rmSync(path, { recursive: true, force: true });
  });
  expect(readdirSync(filled)).toEqual(['whole']);
});

test('the user that runs the programs can enter their folder, even if the clone is private', () => {
  const clone = temporaryFolder();
  chmodSync(clone, 0o700);
  const module = JSON.stringify(join(root, 'scripts/programs/cache.mjs'));
  const code = `process.umask(0o077);
    const { cacheFolder } = await import(${module});
    process.stdout.write(cacheFolder());`;
  const args = ['--input-type=module', '--eval', code];
  const folder = execFileSync(process.execPath, args, { cwd: clone, encoding: 'utf8' });
  expect(spawnSync('ls', [folder], unprivileged).status).toBe(0);
});

/** Logs the folder of apt's lists, which two processes must not write at once. */
const aptGet = `#!/bin/sh
for word; do case $word in Dir::State::lists=*) echo "$word" >> "$LOG";; esac; done
`;

test('processes that fetch packages of Debian at once have lists of their own', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'apt-get'), aptGet, { mode: 0o755 });
  writeFileSync(join(folder, 'dpkg'), '#!/bin/sh\necho amd64\n', { mode: 0o755 });
  const module = JSON.stringify(join(root, 'scripts/programs/debian.mjs'));
  const fetchTwo = async (name: string) => {
    const unpacked = JSON.stringify(join(folder, name));
    const code = `const { unpackDebian } = await import(${module});
      unpackDebian(['one'], ${unpacked} + 1);
      unpackDebian(['two'], ${unpacked} + 2);`;
    const PATH = `${folder}${delimiter}${process.env.PATH}`;
    const env = { ...process.env, PATH, LOG: join(folder, name) };
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { env });
    expect(await once(child, 'close')).toEqual([0, null]);
    return new Set(readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  };
  const [first, second] = await Promise.all([fetchTwo('a'), fetchTwo('b')]);
  expect([first.size, second.size, new Set([...first, ...second]).size]).toEqual([1, 1, 2]);
});
