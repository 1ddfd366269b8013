// publint and attw check each package as npm would publish it. The core must not be large.
import { basename } from 'node:path';
import { eachInParallel, run } from '../shell.mjs';
import { checkCoreSize } from './core-size.mjs';
import { manifestIn, pack } from './tarballs.mjs';

/**
 * A program, and tests for vitest: they have no CommonJS build (docs/decisions/0023). All other packages resolve in
 * every mode.
 */
const esOnly = /headgate-(server|test-suite)-\d/;

await eachInParallel(pack(), async (tarball) => {
  // npm would run some of them on the machine of a user.
  const manifest = manifestIn(tarball);
  if ('scripts' in manifest) throw new Error(`${basename(tarball)} has scripts`);
  if (manifest.name === '@headgate/core') checkCoreSize(tarball);
  const profile = esOnly.test(tarball) ? 'esm-only' : 'strict';
  await run(['publint run', tarball, '--strict']);
  // The others are only a command.
  if (Object.keys(manifest.exports ?? {}).length > 0)
    await run(['attw', tarball, '--profile', profile, '--no-emoji']);
});
