import { setTimeout as sleep } from 'node:timers/promises';
import { postgresStore } from '@headgate/postgres';
import { type PostgresServer, startPostgres } from '@headgate/test-servers';
import type pg from 'pg';
import { cpuTime } from '../distributed/cpu-time.ts';
import { Scene, type WorkerOptions } from '../distributed/scene.ts';
import type { WorkerProcess } from '../distributed/worker-process.ts';
import { configOf, connect } from './connect.ts';

/** Milliseconds after which PostgreSQL's statistics are up to date: servers report them once a second. */
const statsDelay = 1_100;

/** Four for each of up to 64 processes: three of the store, and one of the process's own. */
const max_connections = '300';

/** A PostgreSQL server with durable writes, as in production. */
export class PostgresScene extends Scene {
  readonly #server: PostgresServer;
  readonly #control: pg.Client;

  /** Runs a function with a scene. */
  static async during<T>(use: (scene: PostgresScene) => Promise<T>): Promise<T> {
    const server = await startPostgres({ fsync: true, settings: { max_connections } });
    const control = await connect(server.port);
    await postgresStore({ connect: configOf(server.port) }).migrate();
    await control.query('CREATE TABLE bare (name text PRIMARY KEY, held bigint NOT NULL)');
    const scene = new PostgresScene(server, control);
    try {
      return await use(scene);
    } finally {
      await scene.end();
    }
  }

  private constructor(server: PostgresServer, control: pg.Client) {
    super(new URL('./worker.js', import.meta.url));
    this.#server = server;
    this.#control = control;
  }

  async workers(count: number, options: WorkerOptions): Promise<WorkerProcess[]> {
    const { name = options.contender } = options;
    await this.#control.query('INSERT INTO bare VALUES ($1, 0) ON CONFLICT DO NOTHING', [name]);
    return this.start(count, this.#server.port, { ...options, name });
  }

  cpu(): number[] {
    return [cpuTime(this.#server.pid)];
  }

  /** Number of committed transactions so far. */
  async transactions(): Promise<number> {
    await sleep(statsDelay);
    const { rows } = await this.#control.query(
      `SELECT xact_commit::int AS count FROM pg_stat_database WHERE datname = 'postgres'`,
    );
    return rows[0].count;
  }

  /** The size of the store's tables and indexes. */
  async bytes(): Promise<number> {
    const { rows } = await this.#control.query(
      `SELECT (pg_total_relation_size('headgate.limits') + pg_total_relation_size('headgate.leases'))::int AS bytes`,
    );
    return rows[0].bytes;
  }

  /** Opens a transaction with a snapshot; returns a function that ends it. */
  async holdBack(): Promise<() => Promise<void>> {
    const reader = await connect(this.#server.port);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    return () => reader.end();
  }

  protected forget(): Promise<unknown> {
    return this.#control.query('TRUNCATE headgate.limits, headgate.leases, bare');
  }

  protected async stop(): Promise<void> {
    await this.#control.end();
    await this.#server.stop();
  }
}
