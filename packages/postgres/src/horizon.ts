import { type Query, statement } from './client.ts';

/** Fewer dead rows, or fewer transactions since the oldest one, do no harm: autovacuum starts at 2,000 rows. */
const MIN_DEAD_ROWS = 5_000;

export interface HorizonOptions {
  /** The schema's name, unquoted. */
  readonly schema: string;
  query(query: Query): Promise<readonly unknown[][]>;
  /** Called with the reason why operations are slowing down, and with undefined when it has ended. */
  slowed(reason: string | undefined): void;
}

/**
 * Detects whether a transaction, a replication slot or a prepared transaction prevents VACUUM from removing the store's
 * dead rows. Each operation leaves one dead row, which every later operation has to skip. The query reads only what
 * every role may see of other sessions.
 */
export class Horizon {
  readonly #options: HorizonOptions;
  /** The oldest transaction ID still in use at the last check; VACUUM cannot remove rows that died after it. */
  #oldest: string | undefined;
  #isSlowed = false;

  constructor(options: HorizonOptions) {
    this.#options = options;
  }

  async check(): Promise<void> {
    const { query, schema } = this.#options;
    const rows = await query(statement(holders, [schema])).catch(() => undefined);
    if (rows === undefined) return;
    const [oldest, holder, age, dead] = (rows[0] ?? []).map(String);
    // If the oldest transaction differs at each check, VACUUM can remove rows in between.
    const isStuck = oldest !== undefined && oldest === this.#oldest;
    this.#oldest = oldest;
    if (!isStuck) return this.clear();
    if (this.#isSlowed || Number(age) < MIN_DEAD_ROWS || Number(dead) < MIN_DEAD_ROWS) return;
    this.#isSlowed = true;
    this.#options.slowed(`${holder} keeps VACUUM from removing ${dead} dead rows of limits`);
  }

  /** Reports that the problem has ended, or that another process checks from now on. */
  clear(): void {
    if (!this.#isSlowed) return;
    this.#isSlowed = false;
    this.#options.slowed(undefined);
  }
}

/** Selects the oldest transaction ID in use, what holds it, its age in transactions, and the number of dead rows. */
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
