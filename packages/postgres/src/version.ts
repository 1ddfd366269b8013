import { refused } from './failure.ts';

/**
 * The version of the tables and functions that this release creates and needs. Raise it when they change. The migration
 * must then convert the tables of every earlier version.
 */
const VERSION = 4;
/**
 * The oldest version of the tables whose release can use the tables of this version. Processes can then be upgraded one
 * by one.
 */
const OLDEST_VERSION = 3;

/**
 * The SQLSTATE which says that the tables are newer and that this release can use them, so that no migration is needed.
 */
export const NEWER_TABLES_STATE = 'HG001';

/**
 * Creates the guard, which runs first in a migration, so that an older release never replaces the functions of a newer
 * one. It is a function rather than a table: it is replaced in the same transaction as the other functions, and needs
 * no privileges of its own.
 */
export function versionGuard(schema: string): string {
  return `
DO $body$
DECLARE
  found_ integer[];
BEGIN
  BEGIN
    found_ := ${schema}.version();
  EXCEPTION WHEN undefined_function OR invalid_schema_name THEN
    RETURN;
  END;
  IF found_[1] > ${VERSION} THEN
    RAISE EXCEPTION USING ERRCODE = '${NEWER_TABLES_STATE}',
      MESSAGE = pg_catalog.format('the tables have version %s, and version %s can use them', found_[1], found_[2]);
  END IF;
END
$body$;
`;
}

/**
 * Creates the function that returns the version. Its creation fails if a column is missing, which CREATE TABLE IF NOT
 * EXISTS would not detect.
 */
export function versionFunction(schema: string): string {
  return `
DO $body$
BEGIN
  PERFORM t.address, t.id, t.label, t.most, t.version, t.queued, t.tail, t.born, t.longest, t.reserving, t.reclaimed,
    t.inflight, t.token, t.soonest, t.touched, t.fresh, t.operated, t.declared,
    t.declared_before, t.paused FROM ${schema}.limits AS t LIMIT 0;
  PERFORM t.limit_id, t.id, t.weight, t.ends, t.expires, t.place, t.fencing, t.spare, t.reserves
    FROM ${schema}.leases AS t LIMIT 0;
  PERFORM t.number, t.owner FROM ${schema}.members AS t LIMIT 0;
END
$body$;

-- The version, and the oldest version whose release can use it.
CREATE OR REPLACE FUNCTION ${schema}.version() RETURNS integer[] LANGUAGE sql IMMUTABLE AS $body$
  SELECT ARRAY[${VERSION}, ${OLDEST_VERSION}]
$body$;
`;
}

/** The query whose result `checkVersion` expects. */
export function version(schema: string): string {
  return `pg_catalog.array_to_string(${schema}.version(), ' ')`;
}

/** @throws StoreError if this release cannot use these tables. */
export function checkVersion(found: unknown): void {
  const [made = 0, usableBy = 0] = String(found).split(' ').map(Number);
  const words = `the tables have version ${made}, and this release needs version ${VERSION}`;
  if (made < VERSION) throw refused(`${words}: call await store.migrate()`);
  if (usableBy > VERSION) throw refused(`${words}: upgrade @headgate/postgres`);
}
