// Runs tests in a fresh clone that only its owner may enter, such as one in the home of root: their programs run as
// another user if this process is root's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './packages.mjs';
import { execute } from './shell.mjs';

/** Those that start PostgreSQL, PgBouncer and Redis. */
const tests = ['scripts/test/cache', 'internal/test-servers'];

const folder = mkdtempSync(join(tmpdir(), 'headgate-private-'));
const clone = join(folder, 'headgate');
try {
  await execute(`git clone --quiet "${root}" "${clone}"`, { isShown: true });
  const { status } = await execute(`npm test -- ${tests.join(' ')}`, { isShown: true, cwd: clone });
  process.exitCode = status;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
