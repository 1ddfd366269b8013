import { type Query, statement } from './client.ts';

/** Dead rows, and transactions since, that are no matter yet: vacuum begins at 2,000 rows. */
const few = 5_000;

export interface HorizonOptions {
  /** The schema's name, as it is. */
  readonly schema: string;
  query(query: Query): Promise<readonly unknown[][]>;
  /** Why operations become slower and slower; undefined when that is over. */
  slowed(reason: string | undefined): void;
}

/**
 * Finds out whether something keeps the store's dead rows from being cleared away: each operation leaves one, and each
 * later one has to pass them all. Any role may see this much of other sessions.
 */
export class Horizon {
  readonly #options: HorizonOptions;
  /** The transaction before which nothing could be cleared away, at the last look. */
  #oldest: string | undefined;
  #isSlowed = false;

  constructor(options: HorizonOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { query, schema } = this.#options;
    const rows = await query(statement(holders, [schema])).catch(() => undefined);
    if (rows === undefined) return;
    const [oldest, holder, age, dead] = (rows[0] ?? []).map(String);
    // What moves on between two looks does no harm, however often it is there.
    const isStuck = oldest !== undefined && oldest === this.#oldest;
    this.#oldest = oldest;
    if (!isStuck) return this.rest();
    if (this.#isSlowed || Number(age) < few || Number(dead) < few) return;
    this.#isSlowed = true;
    this.#options.slowed(`${holder} keeps ${dead} dead rows of limits from being cleared away`);
  }

  /** It is over, or others look from now on. */
  rest(): void {
    if (!this.#isSlowed) return;
    this.#isSlowed = false;
    this.#options.slowed(undefined);
  }
}

/** The oldest transaction that something here has to see as it was, what that is, and what has happened since. */
const holders = `
SELECT t.xmin::text, t.holder, age(t.xmin), (
  SELECT sum(s.n_dead_tup) FROM pg_catalog.pg_stat_all_tables AS s
  WHERE s.schemaname = $1 AND s.relname IN ('limits', 'leases')
) FROM (
  SELECT x.xmin, 'the transaction of the session ' || a.pid
  FROM pg_catalog.pg_stat_activity AS a
    JOIN pg_catalog.pg_database AS d ON d.datname = pg_catalog.current_database(),
    unnest(ARRAY[a.backend_xmin, a.backend_xid]) AS x(xmin)
  WHERE (a.datid = d.oid OR a.datid IS NULL OR a.datid = 0) AND a.pid <> pg_catalog.pg_backend_pid()
    AND a.pid NOT IN (SELECT v.pid FROM pg_catalog.pg_stat_progress_vacuum AS v)
  UNION ALL
  SELECT r.xmin, 'the replication slot ' || r.slot_name FROM pg_catalog.pg_replication_slots AS r
  UNION ALL
  SELECT p.transaction, 'the prepared transaction ' || p.gid FROM pg_catalog.pg_prepared_xacts AS p
  WHERE p.database = pg_catalog.current_database()
) AS t(xmin, holder)
WHERE t.xmin IS NOT NULL ORDER BY age(t.xmin) DESC, t.holder LIMIT 1`;
