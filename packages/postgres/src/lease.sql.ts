import { declarations } from './declarations.sql.ts';
import { bounds, MAX_PAUSE, operations } from './operations.sql.ts';
import { now } from './schema.ts';

/** The number of array elements per operation. */
const WORDS_PER_OPERATION = 8;

/**
 * Performs all operations on one limit in one short transaction. It locks the limit's row first, and reads the clock
 * and the leases after that: at READ COMMITTED, each statement sees everything that was committed before it began.
 *
 * `ops` contains for each operation: verb, id, weight, spare, `1` if it reserves, wait in microseconds, queueLimit or
 * place, and fencing token; for `declare`, the length of a pause as the wait, or -1 to end it. `version_` is NULL to declare the limit, and -1 to set it.
 *
 * The answer consists of lines, which `calls.ts` parses:
 * - limit, version, microseconds until the next lease may expire (if there are waiters), number of expired leases, the
 *   processes to notify that others are waiting, and the last two declared numbers;
 * - for each operation: its state, its token or place, inflight, and queued;
 * - for each permit granted to another waiter: its id and token;
 * - if the limit was ever operated or paused: the code of its state, the time of the change, for how many microseconds
 *   it is paused, and the processes to notify.
 */
export function leaseFunctions(schema: string): string {
  return `
-- Moves leases from the row of a limit, which the caller has locked, to the table of leases. Returns the weight of
-- leases that were already in the table, and so were counted twice.
CREATE OR REPLACE FUNCTION ${schema}.unfold(key_ bigint, fresh_ jsonb) RETURNS bigint LANGUAGE sql VOLATILE AS $body$
  WITH fresh AS (
    SELECT f.key AS id, (f.value ->> 0)::bigint AS weight, (f.value ->> 1)::bigint AS ends,
      (f.value ->> 2)::bigint AS fencing, (f.value ->> 3)::bigint AS spare, (f.value ->> 4)::boolean AS reserves
    FROM pg_catalog.jsonb_each(fresh_) AS f
  ), moved AS (
    INSERT INTO ${schema}.leases (limit_id, id, weight, ends, expires, fencing, spare, reserves)
    SELECT key_, f.id, f.weight, f.ends, f.ends, f.fencing, f.spare, f.reserves FROM fresh AS f
    ON CONFLICT DO NOTHING RETURNING id
  )
  SELECT COALESCE(pg_catalog.sum(f.weight), 0)::bigint FROM fresh AS f
  WHERE NOT EXISTS (SELECT FROM moved AS m WHERE m.id = f.id)
$body$;

CREATE OR REPLACE FUNCTION ${schema}.lease(
  address_ text, label_ text, most_ bigint, version_ bigint, declared_ bigint, before_ bigint, term_ bigint, me_ text,
  ops_ text[]
) RETURNS text LANGUAGE plpgsql VOLATILE AS $body$
DECLARE
  l ${schema}.limits;
  r ${schema}.leases;
  w ${schema}.leases;
  now_ bigint;
  verb_ text;
  id_ text;
  weight_ bigint;
  spare_ bigint;
  reserves_ boolean;
  wait_ bigint;
  where_ text;
  fencing_ bigint;
  state_ text;
  extra_ bigint;
  known_ boolean;
  at_ integer;
  -- Whether a waiter may fit now.
  may_fit_ boolean := false;
  recall_ boolean := false;
  later_ bigint;
  latest_ bigint;
  operated_ bigint := 0;
  -- Whether a pause has begun or ended.
  paused_ boolean := false;
  -- The weight up to which leases fit, and the weight in flight at which any lease fits.
  bound_ bigint;
  alone_ bigint := 0;
  reclaimed_ bigint := 0;
  freed_ bigint;
  gone_ bigint;
  recipients_ text := '';
  lines_ text[] := '{}';
  grants_ text[] := '{}';
  fresh_ jsonb;
  moved_ text[];
BEGIN
  LOOP
    SELECT * INTO l FROM ${schema}.limits AS t WHERE t.address = address_ FOR UPDATE;
    now_ := ${now};
    EXIT WHEN l.id IS NOT NULL;
    -- Called by sweep() for a limit that has been forgotten meanwhile.
    IF pg_catalog.cardinality(ops_) = 0 THEN RETURN NULL; END IF;
    -- Later than a declaration, if it is set, so that no process restores what it replaces.
    later_ := CASE WHEN version_ = -1 THEN now_ + 1 ELSE COALESCE(version_, now_) END;
    INSERT INTO ${schema}.limits (address, label, most, version, declared, declared_before, inflight, queued, token, tail, born, soonest, longest, reserving, touched)
    VALUES (address_, label_, most_, later_, declared_, before_, 0, 0, now_, 0, now_, now_ + term_, term_, false, now_)
    ON CONFLICT DO NOTHING;
  END LOOP;

  l.longest := GREATEST(l.longest, term_);
  -- No lease can end later, unless the clock was set back.
  latest_ := now_ + l.longest;
  IF l.fresh <> '{}' THEN
    -- Moves only the leases named by the operations, unless the end of another one matters: the others can still be
    -- released quickly.
    SELECT pg_catalog.jsonb_object_agg(f.key, f.value), pg_catalog.array_agg(f.key) INTO fresh_, moved_
    FROM pg_catalog.jsonb_each(l.fresh) AS f WHERE l.soonest <= now_ OR l.soonest > latest_ OR f.key = ANY (ops_);
    IF moved_ IS NOT NULL THEN
      l.inflight := l.inflight - ${schema}.unfold(l.id, fresh_);
    END IF;
    l.reserving := l.reserving OR pg_catalog.jsonb_path_exists(l.fresh, '$.*[4] ? (@ == true)');
    l.fresh := l.fresh - COALESCE(moved_, '{}');
  END IF;

${declarations}
  bound_ := l.most;
  IF l.operated <> 0 OR l.paused <> 0 THEN
    operated_ := l.operated;
    -- A longer pause is one of a clock that was set back.
    IF l.paused <> 0 AND l.paused NOT BETWEEN now_ + 1 AND now_ + ${MAX_PAUSE} THEN
      l.paused := 0;
      may_fit_ := true;
    END IF;
    l.reclaimed := CASE WHEN l.reclaimed < 0 THEN -1 - l.reclaimed ELSE l.reclaimed END;
${bounds}
  END IF;
  l.touched := now_;

  IF l.soonest <= now_ OR l.soonest > latest_ THEN
    UPDATE ${schema}.leases AS t SET ends = latest_, expires = LEAST(t.expires, latest_)
    WHERE t.limit_id = l.id AND t.ends > latest_;
    l.soonest := LEAST(l.soonest, latest_);
  END IF;
  IF l.soonest <= now_ THEN
    WITH dead AS (
      DELETE FROM ${schema}.leases AS t WHERE t.limit_id = l.id AND t.expires <= now_ RETURNING t.weight, t.place
    )
    SELECT
      pg_catalog.count(*) FILTER (WHERE place IS NULL),
      COALESCE(pg_catalog.sum(weight) FILTER (WHERE place IS NULL), 0),
      pg_catalog.count(*) FILTER (WHERE place IS NOT NULL)
    INTO reclaimed_, freed_, gone_ FROM dead;
    l.inflight := l.inflight - freed_;
    l.queued := l.queued - gone_;
    may_fit_ := true;
    SELECT COALESCE(pg_catalog.min(t.expires), now_ + l.longest) INTO l.soonest
    FROM ${schema}.leases AS t WHERE t.limit_id = l.id;
  END IF;

  -- Iteration 0 performs no operation. It grants permits to waiters that fit by now; otherwise a new caller would queue
  -- behind them although there may be room for it.
  FOR turn_ IN 0 .. pg_catalog.cardinality(ops_) / ${WORDS_PER_OPERATION} LOOP
    IF turn_ > 0 THEN
${operations(schema, WORDS_PER_OPERATION)}
    END IF;

    -- What the first operations report or change applies before anything is granted.
    IF turn_ > 1 OR turn_ = 1 AND verb_ <> 'operated'
      OR COALESCE(ops_[turn_ * ${WORDS_PER_OPERATION} + 1], '') NOT IN ('operated', 'declare')
    THEN
      WHILE may_fit_ AND l.queued > 0 AND (l.inflight = alone_ OR l.inflight < bound_) LOOP
        SELECT * INTO w FROM ${schema}.leases AS t
        WHERE t.limit_id = l.id AND t.place IS NOT NULL ORDER BY t.place LIMIT 1;
        EXIT WHEN w.id IS NULL OR l.inflight > 0 AND l.inflight + w.weight > bound_;
        w.fencing := GREATEST(l.token + 1, now_);
        l.token := w.fencing + w.spare;
        -- Not a full lease from now, because the waiter's process may have died while it was queued.
        UPDATE ${schema}.leases AS t SET place = NULL, expires = w.ends, fencing = w.fencing
        WHERE t.limit_id = l.id AND t.id = w.id;
        l.inflight := l.inflight + w.weight;
        l.queued := l.queued - 1;
        IF turn_ > 0 AND w.id = id_ THEN
          state_ := 'held';
          extra_ := w.fencing;
        ELSE
          grants_ := grants_ || w.id || w.fencing::text;
        END IF;
      END LOOP;
      may_fit_ := false;
    END IF;

    IF turn_ > 0 THEN
      lines_[turn_] := pg_catalog.concat_ws(E'\\n', state_, COALESCE(extra_::text, ''), l.inflight, l.queued);
    END IF;
  END LOOP;

  reclaimed_ := reclaimed_ + l.reclaimed;
  l.reclaimed := CASE WHEN pg_catalog.cardinality(ops_) = 0 THEN reclaimed_ ELSE 0 END;
  IF l.operated & 7 <> 0 OR l.paused <> 0 THEN
    l.reclaimed := -1 - l.reclaimed;
  END IF;
  UPDATE ${schema}.limits AS t SET
    most = l.most, version = l.version, declared = l.declared, declared_before = l.declared_before, inflight = l.inflight, queued = l.queued, token = l.token, tail = l.tail,
    soonest = l.soonest, longest = l.longest, reserving = l.reserving, touched = l.touched,
    reclaimed = l.reclaimed, fresh = l.fresh, operated = l.operated, paused = l.paused
  WHERE t.address = address_;

  IF recall_ AND l.reserving AND l.queued > 0 THEN
    SELECT pg_catalog.string_agg(DISTINCT pg_catalog.split_part(t.id, '.', 1), ' ') INTO recipients_
    FROM (
      SELECT s.id FROM ${schema}.leases AS s WHERE s.limit_id = l.id AND s.place IS NULL AND s.reserves
      UNION ALL SELECT f.key FROM pg_catalog.jsonb_each(l.fresh) AS f WHERE (f.value ->> 4)::boolean
    ) AS t WHERE pg_catalog.split_part(t.id, '.', 1) <> me_;
  END IF;
  IF (l.operated <> 0 OR l.paused <> 0 OR paused_) AND pg_catalog.cardinality(ops_) > 0 THEN
    grants_ := grants_ || pg_catalog.concat_ws(' ', l.operated & 7, l.operated >> 3, GREATEST(l.paused - now_, 0), (
      SELECT pg_catalog.string_agg(DISTINCT pg_catalog.split_part(t.id, '.', 1), ' ')
      FROM (
        SELECT s.id FROM ${schema}.leases AS s WHERE s.limit_id = l.id
        UNION ALL SELECT f.key FROM pg_catalog.jsonb_object_keys(l.fresh) AS f(key)
      ) AS t WHERE (paused_ OR l.operated <> operated_) AND pg_catalog.split_part(t.id, '.', 1) <> me_
    ));
  END IF;
  RETURN pg_catalog.concat_ws(E'\\n', l.most, l.version,
    CASE WHEN l.queued > 0 THEN (LEAST(l.soonest, NULLIF(l.paused, 0)) - now_)::text ELSE '' END, reclaimed_, COALESCE(recipients_, ''),
    pg_catalog.concat_ws(' ', l.declared, l.declared_before),
    pg_catalog.array_to_string(lines_ || grants_, E'\\n'));
END
$body$;

-- Several limits at once. The caller sorts them by address: every transaction that locks several limits does, which
-- prevents deadlocks.
CREATE OR REPLACE FUNCTION ${schema}.leases(
  addresses_ text[], labels_ text[], mosts_ bigint[], versions_ bigint[], declared_ bigint[], before_ bigint[],
  sizes_ integer[], term_ bigint, me_ text, ops_ text[]
) RETURNS SETOF text LANGUAGE plpgsql VOLATILE AS $body$
DECLARE
  from_ integer := 0;
BEGIN
  FOR turn_ IN 1 .. pg_catalog.cardinality(addresses_) LOOP
    RETURN NEXT ${schema}.lease(addresses_[turn_], labels_[turn_], mosts_[turn_], versions_[turn_],
      declared_[turn_], before_[turn_], term_, me_, ops_[from_ + 1 : from_ + sizes_[turn_]]);
    from_ := from_ + sizes_[turn_];
  END LOOP;
END
$body$;
`;
}
