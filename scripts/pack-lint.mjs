// publint and attw read each package as npm would serve it.
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { pack } from './tarballs.mjs';

for (const tarball of pack()) {
  console.log(`\n${basename(tarball)}`);
  for (const command of [
    ['publint', 'run', tarball, '--strict'],
    ['attw', tarball, '--profile', 'esm-only', '--no-emoji'],
  ]) {
    const { status } = spawnSync(command.join(' '), { stdio: 'inherit', shell: true });
    if (status !== 0) process.exitCode = 1;
  }
}
