import {
  connectTime,
  destroy,
  type MakeClient,
  type PostgresClient,
  type Query,
} from './client.ts';
import { closed, isAway, late } from './failure.ts';
import { ask } from './plain.ts';
import { grace } from './ring.sql.ts';

/** Milliseconds until the next attempt, which are doubled after each that fails. */
const firstPause = 25;
/** So that a process which has lost its connections has several attempts before its leases are lost. */
const longestPause = grace / 5;

export interface LinkOptions {
  readonly make: MakeClient;
  /** Milliseconds that a statement may take. */
  readonly timeout: number;
  /** Prepares a connection before anybody may use it. */
  setUp(client: PostgresClient): Promise<void>;
  up?(): void;
  /** The connection was lost, or an attempt has failed that was begun so many milliseconds ago. */
  down?(error: unknown, ago: number): void;
}

/**
 * One connection of the store's own, which is opened again where it is lost. It keeps no process alive: that is left to
 * the timers of those who wait for an answer.
 */
export class Link {
  readonly #options: LinkOptions;
  #client: PostgresClient | undefined;
  #opening: Promise<PostgresClient> | undefined;
  #pause = 0;
  #isClosed = false;
  /** Why it was lost, or could not be opened; undefined while it is there. */
  lastError: unknown;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** Resolves when it is connected; rejects where this attempt, or the one under way, fails. */
  open(): Promise<PostgresClient> {
    if (this.#client !== undefined) return Promise.resolve(this.#client);
    if (this.#isClosed) return Promise.reject(closed());
    this.#opening ??= this.#attempt();
    return this.#opening;
  }

  /** Where it takes too long the connection is ended, and whether the statement was done is not known. */
  async query(query: Query): Promise<readonly unknown[][]> {
    const client = this.#client ?? (await this.open());
    try {
      return await this.#inTime(client, () => ask(client, query));
    } catch (error) {
      // The server says that it ends the connection before it does: nobody else is to ask there meanwhile.
      if (isAway(error)) this.#drop(client, error);
      throw error;
    }
  }

  /** Its connection is of no use, though it looks open. */
  lose(error: unknown): void {
    if (this.#client !== undefined) this.#drop(this.#client, error);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await this.#inTime(client, () => client.end()).catch(() => {});
  }

  async #attempt(): Promise<PostgresClient> {
    if (this.#pause > 0) {
      await new Promise((resolve) => setTimeout(resolve, this.#pause).unref());
    }
    const begun = performance.now();
    let client: PostgresClient | undefined;
    try {
      client = await this.#options.make();
      await this.#connect(client);
      if (this.#isClosed) throw closed();
    } catch (error) {
      this.#opening = undefined;
      this.#pause = Math.min(Math.max(2 * this.#pause, firstPause), longestPause);
      if (client !== undefined) destroy(client);
      this.#lost(error, performance.now() - begun);
      throw error;
    }
    this.#opening = undefined;
    this.#client = client;
    this.#pause = 0;
    this.lastError = undefined;
    this.#options.up?.();
    return client;
  }

  async #connect(client: PostgresClient): Promise<void> {
    const lost = new Promise<never>((_, reject) => {
      const end = (error: unknown) => {
        reject(error);
        this.#drop(client, error);
      };
      client.on('error', end);
      client.on('end', () => end(new Error('the connection has ended')));
    });
    lost.catch(() => {});
    client.unref?.();
    const ready = async () => {
      await client.connect();
      client.unref?.();
      await this.#options.setUp(client);
    };
    const time = Math.max(this.#options.timeout, connectTime);
    await this.#inTime(client, () => Promise.race([ready(), lost]), time);
  }

  #drop(client: PostgresClient, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    destroy(client);
    this.#lost(error, 0);
  }

  #lost(error: unknown, ago: number): void {
    this.lastError = error;
    if (this.#isClosed) return;
    this.open().catch(() => {});
    this.#options.down?.(error, ago);
  }

  #inTime<T>(
    client: PostgresClient,
    work: () => Promise<T>,
    time = this.#options.timeout,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      // What it sends is on its way before anything else is done.
      const working = work();
      const timer = setTimeout(() => {
        reject(late());
        destroy(client);
      }, time);
      timer.unref();
      const settled = () => clearTimeout(timer);
      working.then(settled, settled);
      working.then(resolve, reject);
    });
  }
}
