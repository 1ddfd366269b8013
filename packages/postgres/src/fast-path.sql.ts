import { asked, now } from './schema.ts';

/**
 * Maximum size in bytes of the leases in a limit's own row, which is about twelve leases. Each change rewrites all of
 * them.
 */
const MAX_FRESH_BYTES = 1_200;

/**
 * True if there are no waiters, no expired leases and none to report, and the caller knows the present version and
 * limit.
 */
const fastPathCondition = `t.address = $1 AND t.version = $2::bigint AND t.most = $5::bigint
  AND t.queued = 0 AND t.reclaimed = 0 AND t.soonest > ${now}`;

export interface FastPathStatements {
  /** Parameters: address, version, weight, id, limit, lease duration in microseconds, spare, `1` if it reserves. */
  readonly acquire: string;
  /** Parameters: address, version, weight, id, limit. */
  readonly release: string;
}

/**
 * The most frequent operations: one acquire or release while the queue is empty. Each is a plain UPDATE of the limit's
 * row. That row also stores the lease, until `lease()` moves it to the table of leases.
 *
 * If PostgreSQL has to wait for the row, it checks the conditions again with the new version of the row, but sees all
 * other rows as before. So the conditions refer to this row only. The answer is one row: inflight, when the limit was
 * last operated and, for an acquire, the token. If there is no row, `lease()` must be called instead, for instance
 * because the limit is paused, rejecting or in shadow mode.
 *
 * The lease and its token start when the statement arrives, so a wait for the row does not make the lease longer.
 */
export function fastPathStatements(schema: string): FastPathStatements {
  const token = `GREATEST(t.token + 1, ${asked})`;
  return {
    acquire: `UPDATE ${schema}.limits AS t SET
  inflight = t.inflight + $3::bigint,
  token = ${token} + $7::bigint,
  soonest = LEAST(t.soonest, ${asked} + $6::bigint),
  touched = ${asked},
  fresh = t.fresh || pg_catalog.jsonb_build_object($4::text,
    pg_catalog.jsonb_build_array($3::bigint, ${asked} + $6::bigint, ${token}, $7::bigint, $8::boolean))
WHERE ${fastPathCondition} AND (t.inflight = 0 OR t.inflight + $3::bigint <= t.most) AND NOT t.fresh ? $4::text
  AND pg_catalog.pg_column_size(t.fresh) < ${MAX_FRESH_BYTES}
RETURNING t.inflight || ' ' || (t.operated >> 3) || ' ' || t.token - $7::bigint`,
    release: `UPDATE ${schema}.limits AS t SET inflight = t.inflight - $3::bigint, fresh = t.fresh - $4::text
WHERE ${fastPathCondition} AND (t.fresh -> $4::text ->> 0)::bigint = $3::bigint
RETURNING t.inflight || ' ' || (t.operated >> 3)`,
  };
}
