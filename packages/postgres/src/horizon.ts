import { type Query, statement } from './client.ts';

/** Fewer dead rows, or fewer transactions since, do not matter yet: autovacuum begins at 2,000 rows. */
const few = 5_000;

export interface HorizonOptions {
  /** The schema's name, as it is. */
  readonly schema: string;
  query(query: Query): Promise<readonly unknown[][]>;
  /** Why operations become slower and slower; undefined when that is over. */
  slowed(reason: string | undefined): void;
}

/**
 * Finds out whether something keeps the store's dead rows from being cleared away: each operation leaves one, and every
 * later operation has to pass them all. Any role may see what is asked here of other sessions.
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
    // Where it is another one at each look, rows are cleared away between.
    const isStuck = oldest !== undefined && oldest === this.#oldest;
    this.#oldest = oldest;
    if (!isStuck) return this.rest();
    if (this.#isSlowed || Number(age) < few || Number(dead) < few) return;
    this.#isSlowed = true;
    this.#options.slowed(`${holder} keeps ${dead} dead rows of limits from being cleared away`);
  }

  /** Says that it is over: because it is, or because another process looks from now on. */
  rest(): void {
    if (!this.#isSlowed) return;
    this.#isSlowed = false;
    this.#options.slowed(undefined);
  }
}

/** The oldest transaction that somebody still has to see; who that is, its age in transactions, and the dead rows. */
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
