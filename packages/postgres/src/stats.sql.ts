import type { StoreStats } from '@headgate/store-kit';
import { now } from './schema.ts';

/** Reads the state of a limit without changing it. */
export function statistics(schema: string): string {
  return `
SELECT l.most, l.version,
  COALESCE(sum(t.weight) FILTER (WHERE t.place IS NULL), 0), count(t.id) FILTER (WHERE t.place IS NULL),
  count(t.place), GREATEST(0, ${now} - min(t.place)) / 1000.0, count(DISTINCT split_part(t.id, '.', 1))
FROM ${schema}.limits AS l LEFT JOIN LATERAL (
  SELECT s.id, s.weight, s.place, s.expires FROM ${schema}.leases AS s WHERE s.limit_id = l.id
  UNION ALL
  SELECT f.key, (f.value ->> 0)::bigint, NULL, (f.value ->> 1)::bigint FROM jsonb_each(l.fresh) AS f
) AS t ON t.expires > ${now}
WHERE l.address = $1 GROUP BY l.most, l.version`;
}

export function statsOf([row]: readonly unknown[][]): StoreStats {
  const columns = (row ?? []).map(String);
  const [limit, version, inflight, holders, queued, longestWait, processes] = columns;
  return {
    limit: Number(limit ?? 0),
    version: version ?? '',
    inflight: Number(inflight ?? 0),
    holders: Number(holders ?? 0),
    queued: Number(queued ?? 0),
    processes: Number(processes ?? 0),
    longestWait: queued === '0' ? 0 : Number(longestWait ?? 0),
  };
}
