// npm run bench -- readme: measures again what the table of the README shows, in a quarter of an hour.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const runs = [
  ['overload/main.js', 'database', 'bare', 'headgate'],
  ['leavers/impatient/main.js'],
  ['main.js', 'f', '--only', 'express free'],
];

for (const [file = '', ...words] of runs) {
  const args = [join(import.meta.dirname, file), ...words];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
