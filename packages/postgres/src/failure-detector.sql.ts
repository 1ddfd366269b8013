import { createHash } from 'node:crypto';
import { now } from './schema.ts';

/**
 * Milliseconds between the end of a process's connection and the expiry of its leases, unless the process renews them
 * on another connection.
 */
export const GRACE_PERIOD = 1_000;

/** Maximum number of limits that one check changes. Bounded, since the check locks them and must finish in time. */
const MAX_BATCH = 500;

/** Maximum number of limits that one statement removes or sweeps. If it reaches this number, more may be left. */
export const MAX_FORGOTTEN = 1_000;
export const MAX_SWEPT = 200;

/** Removes unused limits if a process joins an empty ring, since then no other process has removed them. */
export function forgetIfAlone(schema: string): string {
  return `CASE WHEN NOT EXISTS (SELECT FROM ${schema}.members) THEN ${schema}.forget() END`;
}

/**
 * A failure detector: a ring of processes in which each one watches its predecessor. Each process has a number, and
 * holds the advisory lock of that number on a connection that does nothing else. It checks whether the lock of the
 * process before it is free: then that process's connection has ended, for whatever reason. The first process watches
 * the last one. Each process also checks its own lock, since a firewall may have ended its connection on the server's
 * side only. Processes that neither hold nor await a lease are not in the ring.
 *
 * The locks are polled. A statement that waits for a lock would hold a snapshot, which would prevent the whole database
 * from being vacuumed while both processes live.
 */
export function failureDetectorFunctions(schema: string): string {
  // Distinguishes these locks from the advisory locks of other applications.
  const space = createHash('sha256').update(`headgate ${schema}`).digest().readInt32BE();
  return `
-- Assigns a new number to the process. A process that found the former number's lock free, and shortens the leases, has
-- finished before this returns. Others see the number when this is committed; its lock is held by then.
CREATE OR REPLACE FUNCTION ${schema}.register(owner_ text) RETURNS integer LANGUAGE plpgsql VOLATILE AS $body$
DECLARE
  number_ integer;
BEGIN
  DELETE FROM ${schema}.members AS t WHERE t.owner = owner_;
  INSERT INTO ${schema}.members (owner) VALUES (owner_) RETURNING number INTO number_;
  PERFORM pg_catalog.pg_advisory_lock(${space}, number_);
  RETURN number_;
END
$body$;

-- Whether the session that holds this number has ended on the server; its process may not have noticed.
CREATE OR REPLACE FUNCTION ${schema}.has_ended(number_ integer) RETURNS boolean LANGUAGE sql VOLATILE AS $body$
  SELECT pg_catalog.pg_try_advisory_xact_lock_shared(${space}, number_)
$body$;

-- Checks the predecessor and another process chosen at random, because that one's own watcher may be stopped. Returns
-- 'dead' if a process has ended, 'first' if none has a lower number, otherwise ''.
CREATE OR REPLACE FUNCTION ${schema}.watch(me_ integer) RETURNS text LANGUAGE plpgsql VOLATILE AS $body$
DECLARE
  m ${schema}.members;
  previous_ integer;
  is_first_ boolean;
  soon_ bigint;
  doubled_ bigint;
  address_ text;
  count_ integer := 0;
  l ${schema}.limits;
BEGIN
  SELECT pg_catalog.max(t.number) INTO previous_ FROM ${schema}.members AS t WHERE t.number < me_;
  is_first_ := previous_ IS NULL;
  IF is_first_ THEN
    SELECT pg_catalog.max(t.number) INTO previous_ FROM ${schema}.members AS t WHERE t.number > me_;
  END IF;
  FOR m IN
    SELECT * FROM ${schema}.members AS t WHERE t.number = previous_
    UNION ALL (
      SELECT * FROM ${schema}.members AS t WHERE t.number NOT IN (me_, previous_) ORDER BY pg_catalog.random() LIMIT 1
    )
  LOOP
    CONTINUE WHEN NOT ${schema}.has_ended(m.number);
    PERFORM FROM ${schema}.members AS t WHERE t.number = m.number FOR UPDATE;
    -- The process left by itself, has registered again, or another process was faster.
    CONTINUE WHEN NOT FOUND;
    soon_ := ${now} + ${GRACE_PERIOD * 1_000};
    FOR address_ IN
      SELECT t.address FROM ${schema}.limits AS t WHERE t.id IN (
        SELECT s.limit_id FROM ${schema}.leases AS s
        WHERE pg_catalog.split_part(s.id, '.', 1) = m.owner AND s.expires > soon_
      ) OR EXISTS (
        SELECT FROM pg_catalog.jsonb_object_keys(t.fresh) AS f(id) WHERE pg_catalog.split_part(f.id, '.', 1) = m.owner
      ) ORDER BY t.address LIMIT ${MAX_BATCH}
    LOOP
      count_ := count_ + 1;
      -- A separate statement: leases may be moved while it waits for the lock, and the statement above would miss them.
      SELECT * INTO l FROM ${schema}.limits AS t WHERE t.address = address_ FOR UPDATE;
      CONTINUE WHEN NOT FOUND;
      doubled_ := ${schema}.unfold(l.id, l.fresh);
      UPDATE ${schema}.leases AS t SET expires = LEAST(t.expires, soon_), ends = LEAST(t.ends, soon_)
      WHERE t.limit_id = l.id AND pg_catalog.split_part(t.id, '.', 1) = m.owner;
      UPDATE ${schema}.limits AS t
      SET soonest = LEAST(t.soonest, soon_), inflight = t.inflight - doubled_, fresh = '{}'
      WHERE t.address = l.address;
    END LOOP;
    -- Otherwise the next check, which follows immediately, handles the rest.
    IF count_ < ${MAX_BATCH} THEN DELETE FROM ${schema}.members AS t WHERE t.number = m.number; END IF;
    RETURN 'dead';
  END LOOP;
  RETURN CASE WHEN is_first_ THEN 'first' ELSE '' END;
END
$body$;

-- Removes limits that were not used for twice their longest lease; returns how many.
CREATE OR REPLACE FUNCTION ${schema}.forget() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $body$
DECLARE
  count_ bigint;
BEGIN
  DELETE FROM ${schema}.limits AS t WHERE t.address = ANY (ARRAY(
    SELECT s.address FROM ${schema}.limits AS s
    WHERE s.inflight = 0 AND s.queued = 0 AND GREATEST(s.touched + 2 * s.longest, s.paused) < ${now}
    LIMIT ${MAX_FORGOTTEN} FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS count_ = ROW_COUNT;
  RETURN count_;
END
$body$;

-- Expires leases and grants permits to waiters of limits without operations; returns the answers of lease().
CREATE OR REPLACE FUNCTION ${schema}.sweep(me_ text) RETURNS SETOF text LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
  RETURN QUERY SELECT ${schema}.lease(t.address, t.label, 0, 0, 0, 0, 0, me_, '{}') FROM (
    SELECT s.address, s.label FROM ${schema}.limits AS s
    WHERE s.inflight + s.queued > 0 AND s.soonest <= ${now} ORDER BY s.address LIMIT ${MAX_SWEPT}
  ) AS t;
END
$body$;
`;
}
