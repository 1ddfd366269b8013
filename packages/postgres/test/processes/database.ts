import { postgresStore } from '@headgate/postgres';
import { type PostgresOptions, type PostgresServer, startPostgres } from '@headgate/test-servers';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';

let databases = 0;

/** A database with the store's tables, and statements on it as superuser. */
export class Database {
  server!: PostgresServer;
  readonly name: string;
  readonly #neighbour: Database | undefined;
  #pool!: pg.Pool;

  /** @param neighbour A database on the same server; if undefined, the database gets its own server. */
  constructor(neighbour?: Database) {
    this.#neighbour = neighbour;
    this.name = neighbour === undefined ? 'postgres' : `test_${++databases}`;
  }

  get url(): string {
    return this.through(this.server).url;
  }

  /** Connection settings for this database through a proxy or a pooler of its server. */
  through({ port }: { readonly port: number }): { readonly url: string } {
    return { url: `postgres://postgres@127.0.0.1:${port}/${this.name}` };
  }

  /** @param prepare Changes the database before the store's tables are created. */
  async start(options?: PostgresOptions, prepare?: (database: Database) => unknown): Promise<void> {
    await this.#neighbour?.rows(`CREATE DATABASE ${this.name}`);
    this.server = this.#neighbour?.server ?? (await startPostgres(options));
    this.#pool = new pg.Pool({
      connectionString: this.url,
      application_name: 'test',
      // Shorter than any idle_session_timeout of a test: the server must not end a connection that is about to be used.
      idleTimeoutMillis: 200,
    });
    this.#pool.on('error', () => {});
    await prepare?.(this);
    await postgresStore({ connect: this.url }).migrate();
  }

  async stop(): Promise<void> {
    await this.#pool.end();
    if (this.#neighbour === undefined) await this.server.stop();
  }

  async rows(sql: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    const { rows } = await this.#pool.query({ text: sql, values: [...values], rowMode: 'array' });
    return rows;
  }

  /** The first column of the first row. */
  async ask(sql: string, ...values: unknown[]): Promise<unknown> {
    return (await this.rows(sql, values))[0]?.[0];
  }

  /** The number of connections of stores to this database, as seen by the server. */
  async connections(): Promise<number> {
    return (await this.ask(
      `SELECT count(*)::int FROM pg_stat_activity WHERE ${ofStores}`,
    )) as number;
  }
}

/** Condition on `pg_stat_activity`: connections of stores to the current database. */
export const ofStores = `application_name = 'headgate' AND datname = current_database()`;

/** Sets up a database for the tests of one file, on a server that no other file uses. */
export function useDatabase(
  options?: PostgresOptions,
  prepare?: (database: Database) => unknown,
): Database {
  const database = new Database();
  beforeAll(() => database.start(options, prepare), 30_000);
  afterAll(() => database.stop());
  return database;
}

/** Sets up another database on the file's server, for the tests of one group. */
export function useDatabaseBeside(neighbour: Database): Database {
  const database = new Database(neighbour);
  beforeAll(() => database.start(), 30_000);
  afterAll(() => database.stop());
  return database;
}
