// PostgreSQL and PgBouncer for tests, where the system has none: Debian's packages, unpacked without root into
// node_modules/.cache, or into /var/cache/headgate for root where nobody else could read them there.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findProgram } from './debian.mjs';

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
  findProgram('postgres', {
    usual: programs,
    folder: join(cache(), 'postgres'),
    names: ['postgresql'],
    wrong: named && `POSTGRES_BIN=${named} has no postgres that runs`,
    macOS: 'brew install postgresql@17',
    elsewhere: 'POSTGRES_BIN=/folder/of/postgres/and/initdb',
  });
  const bouncer = process.env.PGBOUNCER;
  findProgram('pgbouncer', {
    usual: [bouncer || 'pgbouncer', '/usr/sbin/pgbouncer'],
    folder: join(cache(), 'pgbouncer'),
    wrong: bouncer && `PGBOUNCER=${bouncer} does not run`,
    macOS: 'brew install pgbouncer',
    elsewhere: 'PGBOUNCER=/path/to/pgbouncer',
  });
}

/** A clone of root's may be where nobody else can read. */
export function cache() {
  const usual = resolve('node_modules/.cache');
  if (process.getuid?.() !== 0) return usual;
  mkdirSync(usual, { recursive: true });
  const reads = spawnSync('test', ['-x', usual], { uid: nobody, gid: nobody }).status === 0;
  return reads ? usual : '/var/cache/headgate';
}
