// publint and attw check each package as npm would publish it.
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { pack } from './tarballs.mjs';

/**
 * A program, and tests for vitest: they have no CommonJS build (docs/decisions/0023). All other packages resolve in
 * every mode.
 */
const esOnly = /headgate-(server|test-suite)-/;

for (const tarball of pack()) {
  const profile = esOnly.test(tarball) ? 'esm-only' : 'strict';
  console.log(`\n${basename(tarball)}`);
  for (const command of [
    ['publint', 'run', tarball, '--strict'],
    ['attw', tarball, '--profile', profile, '--no-emoji'],
  ]) {
    const { status } = spawnSync(command.join(' '), { stdio: 'inherit', shell: true });
    if (status !== 0) process.exitCode = 1;
  }
}
