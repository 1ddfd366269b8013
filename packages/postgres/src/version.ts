import { refused } from './failure.ts';

/**
 * The version of the tables and functions that this release makes and needs. To be raised with each change of them; the
 * migration then has to bring tables of every former version up to it.
 */
const version = 1;
/** The oldest release that can still use them, by its own version: so processes may be upgraded one by one. */
const oldest = 1;

/** The tables are newer, and this release can use them: there is nothing to migrate. */
export const isNewer = 'HG001';

/**
 * A function and no table: it changes in one transaction with the others, and needs no rights of its own. The guard
 * comes first, so that a former release never puts its own functions in the place of newer ones.
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
  IF found_[1] > ${version} THEN
    RAISE EXCEPTION USING ERRCODE = '${isNewer}',
      MESSAGE = pg_catalog.format('the tables are of version %s, and can be used by version %s', found_[1], found_[2]);
  END IF;
END
$body$;
`;
}

/** Also fails where a column is missing, which CREATE TABLE IF NOT EXISTS does not see. */
export function versionFunction(schema: string): string {
  return `
DO $body$
BEGIN
  PERFORM t.address, t.id, t.label, t.most, t.version, t.queued, t.tail, t.born, t.longest, t.reserving, t.reclaimed,
    t.inflight, t.token, t.soonest, t.touched, t.fresh FROM ${schema}.limits AS t LIMIT 0;
  PERFORM t.limit_id, t.id, t.weight, t.ends, t.expires, t.place, t.fencing, t.spare, t.reserves
    FROM ${schema}.leases AS t LIMIT 0;
  PERFORM t.number, t.owner FROM ${schema}.members AS t LIMIT 0;
END
$body$;

-- The version, and the oldest one whose release can use it.
CREATE OR REPLACE FUNCTION ${schema}.version() RETURNS integer[] LANGUAGE sql IMMUTABLE AS $body$
  SELECT ARRAY[${version}, ${oldest}]
$body$;
`;
}

/** What `checkVersion` reads. */
export function versionQuery(schema: string): string {
  return `SELECT pg_catalog.array_to_string(${schema}.version(), ' ')`;
}

/** @throws StoreError where this release cannot use these tables. */
export function checkVersion(found: unknown): void {
  const [made = 0, usableBy = 0] = String(found).split(' ').map(Number);
  const words = `the tables are of version ${made}, and this release is made for version ${version}`;
  if (made < version) throw refused(`${words}: await store.migrate()`);
  if (usableBy > version) throw refused(`${words}: upgrade @headgate/postgres`);
}
