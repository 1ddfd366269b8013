import { postgresStore } from '@headgate/postgres';
import { type LimitSettings, type Tell, WorkerLimiter } from '@headgate/test-servers/processes';
import pg from 'pg';

/** The settings of the shared limit that a process receives. */
export interface Settings extends LimitSettings {
  readonly url: string;
  /** For the app's own pool. Default: `url`. */
  readonly poolUrl?: string | undefined;
  /** Number of connections of the app's own pool. Default: 1. */
  readonly pool?: number | undefined;
}

/** A pool in addition to the app's own. */
export class PostgresWorkerLimiter extends WorkerLimiter {
  readonly #pool: pg.Pool;
  readonly #transactions = new Map<number, pg.PoolClient>();

  constructor(settings: Settings, tell: Tell) {
    const { url, lease, timeout, saving, poolUrl = url, pool = 1, limiter } = settings;
    const store = postgresStore({ connect: url, leaseDuration: lease, timeout, ...saving });
    super(store, limiter, tell);
    this.#pool = new pg.Pool({
      connectionString: poolUrl,
      max: pool,
      connectionTimeoutMillis: 300,
    });
    this.#pool.on('error', () => {});
  }

  /** Runs a statement on the app's own pool. */
  async ask(sql: string): Promise<unknown> {
    const { rows } = await this.#pool.query({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  }

  /** Begins a transaction of the app on a connection of its pool, which is reserved for it meanwhile. */
  async begin(serial: number): Promise<void> {
    const client = await this.#pool.connect();
    this.#transactions.set(serial, client);
    await client.query('BEGIN');
  }

  async inTransaction(serial: number, sql: string): Promise<unknown> {
    const { rows } = (await this.#transactions.get(serial)?.query({
      text: sql,
      rowMode: 'array',
    })) ?? { rows: [] };
    return rows[0]?.[0];
  }

  async finish(serial: number, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const client = this.#transactions.get(serial);
    this.#transactions.delete(serial);
    await client?.query(how);
    client?.release();
  }

  override async end(): Promise<void> {
    await super.end();
    for (const client of this.#transactions.values()) client.release(true);
    await this.#pool.end();
  }
}
