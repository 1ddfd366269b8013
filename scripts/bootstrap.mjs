// Sets up a fresh clone that has only Node and npm; does nothing if it is set up. With --redis also a Redis server;
// with --postgres, PostgreSQL and PgBouncer; with --tools, the programs for tests of the HTTP service; with --proxies,
// nginx and HAProxy. Each program is started once; if one does not start, the command fails here, with a hint.
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pnpm } from './pnpm.mjs';
import { preparePrograms } from './programs/programs.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Headgate needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

// pnpm stores a copy of the lock file that it installed; if it is equal, there is nothing to do.
if (read('node_modules/.pnpm/lock.yaml') !== read('pnpm-lock.yaml')) {
  console.log('Installing the packages the lock file names (once)…');
  pnpm(['install', '--frozen-lockfile']);
}

const programs = {
  '--redis': ['redis-server'],
  '--postgres': ['postgres', 'pgbouncer'],
  '--tools': ['chromium', 'curl', 'prometheus'],
  '--proxies': ['nginx', 'haproxy'],
};

try {
  await preparePrograms(process.argv.slice(2).flatMap((option) => programs[option] ?? []));
} catch (error) {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
