import { asked, now } from './schema.ts';

/** Bytes that leases may take in a limit's own row, about twelve of them: each change writes all of them anew. */
const room = 1_200;

/** Nobody waits, nothing has expired or is still to be told, and the limit is the one that the caller knows. */
const usual = `t.address = $1 AND t.version = $2::bigint AND t.queued = 0 AND t.reclaimed = 0 AND t.soonest > ${now}`;

export interface QuickStatements {
  /** Address, version, weight, id, microseconds of a lease, spare, `1` where it reserves. */
  readonly acquire: string;
  /** Address, version, weight, id. */
  readonly release: string;
}

/**
 * What most operations are: one takes or gives back while nobody waits. Each is a plain UPDATE of the limit's row,
 * which keeps the lease as well until `lease()` needs it in its table. Where PostgreSQL had to wait for the row, it
 * checks the conditions again on what the row says by then, but sees all else as it was before: so they are about
 * the row alone. The answer is one row (inflight, and token if there is one), or none where `lease()` is to be asked.
 *
 * The lease and its token are counted from when the server was asked: a wait for the row does not make a lease longer.
 */
export function quickStatements(schema: string): QuickStatements {
  const token = `GREATEST(t.token + 1, ${asked})`;
  return {
    acquire: `UPDATE ${schema}.limits AS t SET
  inflight = t.inflight + $3::bigint,
  token = ${token} + $6::bigint,
  soonest = LEAST(t.soonest, ${asked} + $5::bigint),
  touched = ${asked},
  fresh = t.fresh || pg_catalog.jsonb_build_object($4::text,
    pg_catalog.jsonb_build_array($3::bigint, ${asked} + $5::bigint, ${token}, $6::bigint, $7::boolean))
WHERE ${usual} AND (t.inflight = 0 OR t.inflight + $3::bigint <= t.most) AND NOT t.fresh ? $4::text
  AND pg_catalog.pg_column_size(t.fresh) < ${room}
RETURNING t.inflight || ' ' || t.token - $6::bigint`,
    release: `UPDATE ${schema}.limits AS t SET inflight = t.inflight - $3::bigint, fresh = t.fresh - $4::text
WHERE ${usual} AND (t.fresh -> $4::text ->> 0)::bigint = $3::bigint
RETURNING t.inflight::text`,
  };
}
