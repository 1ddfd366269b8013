import { createHash } from 'node:crypto';
import { now } from './schema.ts';

/** Milliseconds that the leases of a process last whose connection has ended, unless it renews them on another. */
export const grace = 1_000;

/** Limits that one look changes at most: it holds them locked, and has to be done in time. */
const batch = 500;

/** Limits that are forgotten, or looked at for what has expired, at once: where there are so many, there may be more. */
export const mostForgotten = 1_000;
export const mostSwept = 200;

/**
 * Who looks after whom. Each process holds the advisory lock of its number, on a connection that does nothing else, and
 * looks whether that of the one before it is free: that one's connection has ended, whatever became of the process. The
 * first looks after the last. Each also looks at its own: a firewall may have ended its connection at the server alone.
 *
 * It looks again and again instead of waiting for the lock: a statement that waits holds a snapshot, which would keep
 * the whole database from being vacuumed for as long as all goes well.
 */
export function ringFunctions(schema: string): string {
  // Other applications may have advisory locks, too.
  const space = createHash('sha256').update(`headgate ${schema}`).digest().readInt32BE();
  return `
-- Gives the process a number, in place of its former one: who has found that one free, and shortens leases for it, has
-- done so before this returns. Others see the number when this is committed, and it is locked by then.
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

-- Whether the session that holds this number has ended, as far as the server knows: its process may not know yet.
CREATE OR REPLACE FUNCTION ${schema}.has_ended(number_ integer) RETURNS boolean LANGUAGE sql VOLATILE AS $body$
  SELECT pg_catalog.pg_try_advisory_xact_lock_shared(${space}, number_)
$body$;

-- Looks at the process before, and at another one chosen at random: the one that should look at that may be stopped.
-- Returns 'dead' where it has found one, 'first' where there is none with a lower number, else nothing.
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
    -- It has left by itself, has come back with another number, or another process has been quicker.
    CONTINUE WHEN NOT FOUND;
    soon_ := ${now} + ${grace * 1_000};
    FOR address_ IN
      SELECT t.address FROM ${schema}.limits AS t WHERE t.id IN (
        SELECT s.limit_id FROM ${schema}.leases AS s
        WHERE pg_catalog.split_part(s.id, '.', 1) = m.owner AND s.expires > soon_
      ) OR EXISTS (
        SELECT FROM pg_catalog.jsonb_object_keys(t.fresh) AS f(id) WHERE pg_catalog.split_part(f.id, '.', 1) = m.owner
      ) ORDER BY t.address LIMIT ${batch}
    LOOP
      count_ := count_ + 1;
      -- Not by the statement that finds it: its leases may be moved while it waits, and that would see them nowhere.
      SELECT * INTO l FROM ${schema}.limits AS t WHERE t.address = address_ FOR UPDATE;
      CONTINUE WHEN NOT FOUND;
      doubled_ := ${schema}.unfold(l.id, l.fresh);
      UPDATE ${schema}.leases AS t SET expires = LEAST(t.expires, soon_), ends = LEAST(t.ends, soon_)
      WHERE t.limit_id = l.id AND pg_catalog.split_part(t.id, '.', 1) = m.owner;
      UPDATE ${schema}.limits AS t
      SET soonest = LEAST(t.soonest, soon_), inflight = t.inflight - doubled_, fresh = '{}'
      WHERE t.address = l.address;
    END LOOP;
    -- Else the rest is found by the next look, which is at once.
    IF count_ < ${batch} THEN DELETE FROM ${schema}.members AS t WHERE t.number = m.number; END IF;
    RETURN 'dead';
  END LOOP;
  RETURN CASE WHEN is_first_ THEN 'first' ELSE '' END;
END
$body$;

-- Forgets limits that nobody has used for twice their longest lease; returns how many.
CREATE OR REPLACE FUNCTION ${schema}.forget() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $body$
DECLARE
  count_ bigint;
BEGIN
  DELETE FROM ${schema}.limits AS t WHERE t.address = ANY (ARRAY(
    SELECT s.address FROM ${schema}.limits AS s
    WHERE s.inflight = 0 AND s.queued = 0 AND s.touched + 2 * s.longest < ${now}
    LIMIT ${mostForgotten} FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS count_ = ROW_COUNT;
  RETURN count_;
END
$body$;

-- Drops what has expired and lets in who fits, of limits that nobody asks for; answers as lease() does.
CREATE OR REPLACE FUNCTION ${schema}.sweep(me_ text) RETURNS SETOF text LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
  RETURN QUERY SELECT ${schema}.lease(t.address, t.label, 0, 0, 0, me_, '{}') FROM (
    SELECT s.address, s.label FROM ${schema}.limits AS s
    WHERE s.inflight + s.queued > 0 AND s.soonest <= ${now} ORDER BY s.address LIMIT ${mostSwept}
  ) AS t;
END
$body$;
`;
}
