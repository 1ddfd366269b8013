/**
 * The tables. All times are microseconds since 1970 by the server's clock.
 *
 * - `limits`: one row for each limit, and for each key in use. Every operation locks its row first. The row stores the
 *   counts, so an operation costs the same with one holder as with a thousand. No lease expires before `soonest`, so
 *   most operations need not search for expired ones. No index has a column that changes with each operation, so old
 *   versions of a row are pruned in their page, without VACUUM. The most volatile columns are last, because the
 *   write-ahead log contains only the changed part of a new version.
 * - `limits.reclaimed` counts leases that expired while there were no operations; the next operation reports them.
 * - `limits.fresh` contains the leases that were acquired by a plain UPDATE: by id, an array of weight, end, token,
 *   spare, and whether it reserves. They move to `leases` at any operation other than a release, or when one of them
 *   may have expired.
 * - `limits.operated` is 8 times the time at which the limit was last operated, plus the code of `operatedCode`. If
 *   that code is not 0, `reclaimed` is stored as `-1 - reclaimed`, which keeps processes from using the plain UPDATE.
 * - `limits.paused` is the time at which the pause ends, or 0. It also makes `reclaimed` negative.
 * - `limits.declared` and `declared_before` are the last two declared numbers (0: none). A limit (`most`) that differs
 *   from `declared` was set.
 * - `leases`: held leases (without `place`) and waiters. `ends` is one lease duration after the last renewal. The row
 *   is removed at `expires`, which is earlier for a waiter whose queue timeout ends before that.
 * - `members`: the processes. Each holds the advisory lock of its number while it is connected.
 */
export function tables(schema: string): string {
  return `
-- A type, because PostgreSQL parses the CHECK constraints of a table again for every statement.
DO $body$
BEGIN
  CREATE DOMAIN ${schema}.non_negative AS bigint CHECK (VALUE >= 0);
EXCEPTION WHEN duplicate_object THEN
  RETURN;
END
$body$;

CREATE TABLE IF NOT EXISTS ${schema}.limits (
  address text COLLATE "C" PRIMARY KEY,
  id bigint GENERATED ALWAYS AS IDENTITY,
  label text NOT NULL,
  most bigint NOT NULL,
  version bigint NOT NULL,
  queued ${schema}.non_negative NOT NULL,
  tail bigint NOT NULL,
  born bigint NOT NULL,
  longest bigint NOT NULL,
  reserving boolean NOT NULL,
  reclaimed bigint NOT NULL DEFAULT 0,
  inflight ${schema}.non_negative NOT NULL,
  token bigint NOT NULL,
  soonest bigint NOT NULL,
  touched bigint NOT NULL,
  fresh jsonb NOT NULL DEFAULT '{}'
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

CREATE TABLE IF NOT EXISTS ${schema}.leases (
  limit_id bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  weight bigint NOT NULL CHECK (weight >= 0),
  ends bigint NOT NULL,
  expires bigint NOT NULL,
  place bigint,
  fencing bigint,
  spare bigint NOT NULL,
  reserves boolean NOT NULL,
  PRIMARY KEY (limit_id, id),
  CHECK ((place IS NULL) = (fencing IS NOT NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- Tables of earlier releases have a CHECK constraint instead.
DO $body$
BEGIN
  IF EXISTS (
    SELECT FROM pg_catalog.pg_type AS t JOIN pg_catalog.pg_constraint AS c ON c.conrelid = t.typrelid
    WHERE t.oid = pg_catalog.pg_typeof(NULL::${schema}.limits)::oid AND c.conname = 'limits_check'
  ) THEN
    ALTER TABLE ${schema}.limits DROP CONSTRAINT limits_check,
      ALTER COLUMN inflight TYPE ${schema}.non_negative, ALTER COLUMN queued TYPE ${schema}.non_negative;
  END IF;
END
$body$;

-- Since version 2. ADD COLUMN IF NOT EXISTS locks the table even if the column exists.
DO $body$
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_catalog.pg_type AS t JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.typrelid
    WHERE t.oid = pg_catalog.pg_typeof(NULL::${schema}.limits)::oid AND a.attname = 'operated' AND NOT a.attisdropped
  ) THEN
    ALTER TABLE ${schema}.limits ADD COLUMN operated bigint NOT NULL DEFAULT 0;
  END IF;
END
$body$;

-- Since version 3.
DO $body$
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_catalog.pg_type AS t JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.typrelid
    WHERE t.oid = pg_catalog.pg_typeof(NULL::${schema}.limits)::oid AND a.attname = 'declared' AND NOT a.attisdropped
  ) THEN
    ALTER TABLE ${schema}.limits ADD COLUMN declared bigint NOT NULL DEFAULT 0,
      ADD COLUMN declared_before bigint NOT NULL DEFAULT 0;
  END IF;
END
$body$;

-- Since version 4.
DO $body$
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_catalog.pg_type AS t JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.typrelid
    WHERE t.oid = pg_catalog.pg_typeof(NULL::${schema}.limits)::oid AND a.attname = 'paused' AND NOT a.attisdropped
  ) THEN
    ALTER TABLE ${schema}.limits ADD COLUMN paused bigint NOT NULL DEFAULT 0;
  END IF;
END
$body$;
DROP FUNCTION IF EXISTS ${schema}.lease(text, text, bigint, bigint, bigint, text, text[]);
DROP FUNCTION IF EXISTS ${schema}.leases(text[], text[], bigint[], bigint[], integer[], bigint, text, text[]);

-- CREATE INDEX IF NOT EXISTS locks the table even if the index exists: each process that starts would block all others.
DO $body$
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_catalog.pg_type AS t JOIN pg_catalog.pg_class AS c ON c.relnamespace = t.typnamespace
    WHERE t.oid = pg_catalog.pg_typeof(NULL::${schema}.leases)::oid AND c.relname = 'leases_line'
  ) THEN
    CREATE INDEX leases_line ON ${schema}.leases (limit_id, place) WHERE place IS NOT NULL;
  END IF;
END
$body$;

CREATE TABLE IF NOT EXISTS ${schema}.members (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner text COLLATE "C" NOT NULL UNIQUE
);
`;
}
