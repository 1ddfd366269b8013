import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type Binary, binaryIn, findBinary, installed, unpacked } from './binary.ts';
import { identity } from './identity.ts';

/** Where Debian and Ubuntu keep each version, below the root or what was unpacked. */
const versions = 'usr/lib/postgresql';

let postgres: Binary | undefined;
let bouncer: Binary | undefined;

/**
 * The server; `initdb` is beside it.
 *
 * @throws Error that names the fix where there is none.
 */
export function postgresBinary(): Binary {
  const named = process.env.POSTGRES_BIN;
  const usual = () => [
    ...[...onPath('postgres'), ...versionsIn('/').map((path) => join('/', path))].map(installed),
    ...unpacked('postgres').flatMap((root) => versionsIn(root).map((path) => binaryIn(root, path))),
  ];
  postgres ??= findBinary(named ? [installed(join(named, 'postgres'))] : usual(), identity);
  if (postgres !== undefined) return postgres;
  throw new Error(
    'There is no PostgreSQL that runs here. Install it (Debian, Ubuntu: apt-get install postgresql; macOS: brew install ' +
      'postgresql@17), name the folder of its programs in POSTGRES_BIN, or, on Debian and Ubuntu, run: ' +
      'npm run bootstrap -- --postgres. Where root runs the tests, the user nobody must be able to reach it.',
  );
}

/** @throws Error that names the fix where there is none. */
export function pgbouncerBinary(): Binary {
  const named = process.env.PGBOUNCER;
  const usual = () => [
    ...['pgbouncer', '/usr/sbin/pgbouncer'].map(installed),
    ...unpacked('pgbouncer').map((root) => binaryIn(root, 'usr/sbin/pgbouncer')),
  ];
  bouncer ??= findBinary(named ? [installed(named)] : usual(), identity);
  if (bouncer !== undefined) return bouncer;
  throw new Error(
    'There is no PgBouncer. Put pgbouncer on PATH (macOS: brew install pgbouncer), name one in PGBOUNCER, or, on Debian and ' +
      'Ubuntu, run: npm run bootstrap -- --postgres',
  );
}

/** Not as links: the server looks for its other files beside itself. */
function onPath(program: string): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const paths = folders.map((folder) => join(folder, program));
  return paths.filter((path) => existsSync(path)).map((path) => realpathSync(path));
}

/** The latest first. */
function versionsIn(root: string): string[] {
  const folder = join(root, versions);
  const found = existsSync(folder) ? readdirSync(folder) : [];
  found.sort((one, other) => Number(other) - Number(one));
  return found.map((version) => join(versions, version, 'bin/postgres'));
}

export function initdbOf({ path, env }: Binary): Binary {
  return { path: join(dirname(path), 'initdb'), env };
}
