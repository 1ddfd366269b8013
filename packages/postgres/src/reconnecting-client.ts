import { Backoff, outsideRequest } from '@headgate/store-kit';
import {
  connectTimeout,
  destroy,
  type MakeClient,
  makeInTime,
  type PostgresClient,
  type Query,
} from './client.ts';
import {
  closed,
  isDisconnect,
  isRefusedConnection,
  isStartingOrStopping,
  late,
} from './failure.ts';
import { GRACE_PERIOD } from './failure-detector.sql.ts';
import { sendQuery } from './plain-query.ts';
import { limitTime } from './time-limit.ts';

/**
 * Maximum pause between attempts in milliseconds. Short, since after `GRACE_PERIOD` a process without connections loses
 * its leases, and after `timeout` its callers are rejected.
 */
const MAX_PAUSE = GRACE_PERIOD / 10;
/** Maximum pause while the server starts or stops. Longer, since each attempt makes it start a process. */
const MAX_PAUSE_IF_STARTING = GRACE_PERIOD / 5;
/** Maximum pause if the server refuses the connection, which only an operator ends. */
const MAX_PAUSE_IF_REFUSED = 2_000;

export interface ReconnectingClientOptions {
  readonly make: MakeClient;
  /** Maximum duration of a statement in milliseconds. */
  readonly timeout: number;
  /** Prepares a new connection before its first use. */
  setUp(client: PostgresClient): Promise<void>;
  /** Whether to open a lost connection again at once, and not only for the next statement. Default: always. */
  isNeeded?(): boolean;
  up?(): void;
  /** Called when the connection was lost, or when an attempt has failed. `ago`: milliseconds since that attempt began. */
  down?(error: unknown, ago: number): void;
}

/**
 * One of the store's own connections, which reconnects when it is lost. It does not keep the process alive, unlike the
 * timers of callers that wait for an answer.
 */
export class ReconnectingClient {
  readonly #options: ReconnectingClientOptions;
  #client: PostgresClient | undefined;
  #opening: Promise<PostgresClient> | undefined;
  readonly #backoff = new Backoff();
  /** Milliseconds until the next attempt. */
  #pause = 0;
  #isClosed = false;
  /** Why the connection was lost or could not be opened; undefined while it is up. */
  lastError: unknown;

  constructor(options: ReconnectingClientOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** Resolves when connected; rejects if this attempt, or the one already in progress, fails. */
  open(): Promise<PostgresClient> {
    if (this.#client !== undefined) return Promise.resolve(this.#client);
    if (this.#isClosed) return Promise.reject(closed());
    this.#opening ??= outsideRequest(() => this.#attempt());
    return this.#opening;
  }

  /**
   * Runs a query. If the answer takes too long, closes the connection; it is then unknown whether the statement was
   * executed.
   */
  query(query: Query): Promise<readonly unknown[][]> {
    if (this.#client !== undefined) return this.#send(this.#client, query);
    return this.open().then((client) => this.#send(client, query));
  }

  /** Closes a connection that looks open but does not work. */
  lose(error: unknown): void {
    if (this.#client !== undefined) this.#drop(this.#client, error);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.disconnect();
  }

  /** Closes the connection; the next statement opens another one. */
  async disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await this.#inTime(client, () => client.end()).catch(() => {});
  }

  /** Uses one promise for all steps, since every operation passes here. */
  #send(client: PostgresClient, query: Query): Promise<readonly unknown[][]> {
    return new Promise((resolve, reject) => {
      const answered = (rows: readonly unknown[][]) => {
        cancel();
        resolve(rows);
      };
      const failed = (error: unknown) => {
        cancel();
        // The server has announced that it will end the connection, so no further statement may be sent on it.
        if (isDisconnect(error)) this.#drop(client, error);
        reject(error);
      };
      // Sent before the timer is set, to save time.
      sendQuery(client, query, answered, failed);
      const cancel = timeLimit(client, this.#options.timeout, reject);
    });
  }

  async #attempt(): Promise<PostgresClient> {
    if (this.#pause > 0) {
      await new Promise((resolve) => setTimeout(resolve, this.#pause).unref());
    }
    const begun = performance.now();
    let client: PostgresClient | undefined;
    try {
      const { make, timeout } = this.#options;
      client = await makeInTime(make, connectTimeout(timeout));
      await this.#connect(client);
      if (this.#isClosed) throw closed();
    } catch (error) {
      this.#opening = undefined;
      if (client !== undefined) destroy(client);
      this.#lost(error, performance.now() - begun);
      throw error;
    }
    this.#opening = undefined;
    this.#client = client;
    this.#backoff.reset();
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
    const time = connectTimeout(this.#options.timeout);
    await this.#inTime(client, () => Promise.race([ready(), lost]), time);
  }

  #drop(client: PostgresClient, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    destroy(client);
    // An instrumented client reports the end of the connection in the context of the operation that fails because of
    // it.
    outsideRequest(() => this.#lost(error, 0));
  }

  #lost(error: unknown, ago: number): void {
    this.lastError = error;
    if (this.#isClosed) return;
    const isNeeded = this.#options.isNeeded?.() !== false;
    this.#pause = isNeeded ? this.#backoff.next(maxPause(error)) : 0;
    if (isNeeded) this.open().catch(() => {});
    this.#options.down?.(error, ago);
  }

  #inTime<T>(
    client: PostgresClient,
    work: () => Promise<T>,
    time = this.#options.timeout,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const working = work();
      const cancel = timeLimit(client, time, reject);
      working.then(cancel, cancel);
      working.then(resolve, reject);
    });
  }
}

function maxPause(error: unknown): number {
  if (isRefusedConnection(error)) return MAX_PAUSE_IF_REFUSED;
  return isStartingOrStopping(error) ? MAX_PAUSE_IF_STARTING : MAX_PAUSE;
}

/** Closes the connection after `time` milliseconds, unless the returned function is called before. */
function timeLimit(
  client: PostgresClient,
  time: number,
  reject: (error: unknown) => void,
): () => void {
  return limitTime(time, () => {
    reject(late());
    destroy(client);
  });
}
