// npm run pack -- import: what the packed core takes, and how long the import of @headgate/express takes compared with
// that of express. Each import is in a process of its own, alternating, so that the load of the machine affects both.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestOf } from '../packages.mjs';
import { manifestIn, pack } from './tarballs.mjs';

const ROUNDS = 41;
const MAX_RATIO = 0.25;
const MAX_FILES = 120;
const MAX_KB = 800;

/** It shows the sizes. */
const PAGE = 'docs/runtimes.md';

const folder = mkdtempSync(join(tmpdir(), 'headgate-import-'));
const tarballs = pack().filter((path) =>
  ['@headgate/core', '@headgate/express'].includes(manifestIn(path).name),
);

/** The milliseconds of one import in a new process. */
function timeOf(name) {
  const file = join(folder, 'main.mjs');
  const code = `const start = performance.now(); await import('${name}'); console.log(performance.now() - start);`;
  writeFileSync(file, code);
  return Number(execFileSync(process.execPath, [file], { encoding: 'utf8' }));
}

const medianOf = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

function checkSize(tarball) {
  const list = execFileSync('tar', ['-tzvf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const kb = list.reduce((sum, line) => sum + Number(line.split(/\s+/)[2]), 0) / 1000;
  console.log(`@headgate/core: ${list.length} files, ${kb.toFixed(0)} kB unpacked`);
  if (list.length > MAX_FILES || kb > MAX_KB)
    throw new Error(`allowed are ${MAX_FILES} files and ${MAX_KB} kB`);
  const [, shown] =
    /^\| @headgate\/core \| \d+ \| (\d+) \|$/m.exec(readFileSync(PAGE, 'utf8')) ?? [];
  if (!(Math.abs(Number(shown) / kb - 1) < 0.1))
    throw new Error(`${PAGE} says ${shown} kB: run \`npm run compat -- runtimes --write\``);
}

try {
  checkSize(tarballs.find((path) => manifestIn(path).name === '@headgate/core'));
  const { express } = manifestOf('packages/express').devDependencies;
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  execFileSync('npm', [...install, `express@${express}`, ...tarballs], { cwd: folder });
  const times = { express: [], '@headgate/express': [] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, found] of Object.entries(times)) found.push(timeOf(name));
  const [theirs, ours] = Object.values(times).map(medianOf);
  const ratio = (ours / theirs).toFixed(2);
  console.log(
    `import: express ${theirs.toFixed(1)} ms, @headgate/express ${ours.toFixed(1)} ms, ratio ${ratio}`,
  );
  if (Number(ratio) > MAX_RATIO) throw new Error(`allowed is a ratio of ${MAX_RATIO}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
