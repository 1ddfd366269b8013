import { postgresStore } from '@headgate/postgres';
import { type PostgresOptions, type PostgresServer, startPostgres } from '@headgate/test-servers';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';

/** A server with the store's tables, for the tests of one file, and a superuser's statements on it. */
export class Database {
  server!: PostgresServer;
  #pool!: pg.Pool;

  async start(options?: PostgresOptions): Promise<void> {
    this.server = await startPostgres(options);
    this.#pool = new pg.Pool({ connectionString: this.server.url, application_name: 'test' });
    this.#pool.on('error', () => {});
    await postgresStore({ connect: this.server.url }).migrate();
  }

  async stop(): Promise<void> {
    await this.#pool.end();
    await this.server.stop();
  }

  async rows(sql: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    const { rows } = await this.#pool.query({ text: sql, values: [...values], rowMode: 'array' });
    return rows;
  }

  /** What the first row has first. */
  async ask(sql: string, ...values: unknown[]): Promise<unknown> {
    return (await this.rows(sql, values))[0]?.[0];
  }

  /** Connections of stores, as the server sees them. */
  async connections(): Promise<number> {
    const sql = `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'headgate'`;
    return (await this.ask(sql)) as number;
  }
}

/** For the tests of one file. */
export function useDatabase(options?: PostgresOptions): Database {
  const database = new Database();
  beforeAll(() => database.start(options), 30_000);
  afterAll(() => database.stop());
  return database;
}
