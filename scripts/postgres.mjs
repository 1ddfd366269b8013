// PostgreSQL and PgBouncer for tests, where the system has none: Debian's packages, unpacked without root into
// node_modules/.cache, or into /var/cache/headgate for root where nobody else could read them there.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unpackDebian, works } from './debian.mjs';

/** Where Debian and Ubuntu keep them, which is not on PATH. */
const versions = '/usr/lib/postgresql';
/** They refuse to be run by root, who lends them this user's identity. */
const nobody = 65_534;

export function findPostgres() {
  const named = process.env.POSTGRES_BIN;
  const installed = existsSync(versions) ? readdirSync(versions) : [];
  const programs = named
    ? [join(named, 'postgres')]
    : ['postgres', ...installed.map((version) => join(versions, version, 'bin/postgres'))];
  find(programs, 'postgres', 'postgresql', {
    fix: 'brew install postgresql@17',
    another: 'POSTGRES_BIN=/folder/of/postgres/and/initdb',
    wrong: named && `POSTGRES_BIN=${named} has no postgres that runs`,
  });
  const bouncer = process.env.PGBOUNCER;
  find([bouncer || 'pgbouncer', '/usr/sbin/pgbouncer'], 'pgbouncer', 'pgbouncer', {
    fix: 'brew install pgbouncer',
    another: 'PGBOUNCER=/path/to/pgbouncer',
    wrong: bouncer && `PGBOUNCER=${bouncer} does not run`,
  });
}

function find(programs, program, name, { fix, another, wrong }) {
  if (programs.some(works)) return;
  const folder = join(cache(), program);
  if (existsSync(join(folder, 'root'))) return;
  try {
    if (wrong) throw new Error(wrong);
    console.log(`No ${program} here: taking Debian’s into ${folder} (once)…`);
    unpackDebian(folder, name);
  } catch (error) {
    // Whatever needs none goes on; the tests that do need one fail and say the same.
    console.error(`
There is no ${program}: ${error.message}.
Tests that need one will fail. Any of these helps:
  Debian, Ubuntu: apt-get install ${name}
  macOS: ${fix}
  another place: ${another}
`);
  }
}

/** A clone of root's may be where nobody else can read. */
export function cache() {
  const usual = resolve('node_modules/.cache');
  if (process.getuid?.() !== 0) return usual;
  mkdirSync(usual, { recursive: true });
  const reads = spawnSync('test', ['-x', usual], { uid: nobody, gid: nobody }).status === 0;
  return reads ? usual : '/var/cache/headgate';
}
