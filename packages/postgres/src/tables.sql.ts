/**
 * What is kept. All times are microseconds since 1970, by the server's clock.
 *
 * - `limits`: one row for each limit, and each key of one in use, which every operation locks first. The counts are
 *   kept in it, so that an operation costs as much with a thousand holders as with one; no lease ends before `soonest`,
 *   so that most operations need not look. No column that changes with each operation is in an index: old versions of
 *   the row are cleared away where they lie, without a vacuum. `reclaimed` counts leases that were dropped while nobody
 *   asked; whoever asks next is told. What changes most comes last: of a new version only what differs is logged.
 *   `fresh` has leases that were taken by a plain UPDATE: by id an array of weight, end, token, spare, and whether it
 *   reserves. They are moved to `leases` when more than a release is asked for, or something may have expired.
 * - `leases`: who holds (no `place`) and who waits. `ends` is a lease after it was last asked for; it is dropped at
 *   `expires`, which of one that waits is earlier where its patience ends before that.
 * - `members`: the processes, each of which holds the advisory lock of its number for as long as it is connected.
 */
export function tables(schema: string): string {
  return `
CREATE SCHEMA IF NOT EXISTS ${schema};

CREATE TABLE IF NOT EXISTS ${schema}.limits (
  address text COLLATE "C" PRIMARY KEY,
  id bigint GENERATED ALWAYS AS IDENTITY,
  label text NOT NULL,
  most bigint NOT NULL,
  version bigint NOT NULL,
  queued bigint NOT NULL,
  tail bigint NOT NULL,
  born bigint NOT NULL,
  longest bigint NOT NULL,
  reserving boolean NOT NULL,
  reclaimed bigint NOT NULL DEFAULT 0,
  inflight bigint NOT NULL,
  token bigint NOT NULL,
  soonest bigint NOT NULL,
  touched bigint NOT NULL,
  fresh jsonb NOT NULL DEFAULT '{}',
  -- One for both: PostgreSQL parses each anew for every statement.
  CHECK (inflight >= 0 AND queued >= 0)
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

-- IF NOT EXISTS would lock the table even where the index is there: each process that starts would hold up all others.
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
