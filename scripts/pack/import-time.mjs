// npm run pack -- import: how long the import of @headgate/express takes compared with that of express. Each import is in
// a process of its own, alternating, so that the load of the machine affects both.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestOf } from '../packages.mjs';
import { manifestIn, pack } from './tarballs.mjs';

const ROUNDS = 41;
const MAX_RATIO = 0.25;

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

try {
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
