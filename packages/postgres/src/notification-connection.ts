import { type StoreError, SubscriptionProbe } from '@headgate/store-kit';
import {
  connectTimeout,
  type MakeClient,
  type PostgresClient,
  type Query,
  statement,
} from './client.ts';
import { isQueueFull, queueFull, refused, unheard } from './failure.ts';
import { forgetIfAlone } from './failure-detector.sql.ts';
import { ReconnectingClient } from './reconnecting-client.ts';
import { sessionSettings } from './session.ts';
import { limitTime } from './time-limit.ts';
import { checkVersion, version } from './version.ts';

export interface NotificationConnectionOptions {
  readonly make: MakeClient;
  readonly timeout: number;
  readonly owner: string;
  /** The schema, quoted. */
  readonly schema: string;
  /** Runs a statement on another connection. */
  elsewhere(query: Query): Promise<unknown>;
  heard(message: string): void;
  /** The connection listens, and this process is registered under this number. */
  up(number: number): void;
  /** @param ago Milliseconds since the failed attempt began. */
  down(error: unknown, ago: number): void;
  /** Whether any waiter of this process depends on notifications. */
  isWaiting(): boolean;
  /** Whether a lost connection must be opened again at once. */
  isNeeded(): boolean;
  /** Called with the reason if notifications do not arrive, and with undefined when they arrive again. */
  muted(error: StoreError | undefined): void;
}

/** Minimum time in milliseconds to wait for the first notification of a new connection. */
const MIN_GREETING_TIME = 250;

const NOT_RECEIVED =
  'notifications from another connection do not arrive: connect the store to the server itself, not through a pooler that ' +
  'assigns its connections per transaction or statement (PgBouncer: pool_mode = session, or a direct connection string)';

export function channelOf(owner: string): string {
  return `headgate_${owner}`;
}

/**
 * The connection that receives grants. Its end shows other processes that this process has ended. It runs no other
 * statements, because the server notices the end of an idle connection immediately.
 */
export class NotificationConnection {
  readonly reconnectingClient: ReconnectingClient;
  readonly #options: NotificationConnectionOptions;
  /**
   * Whether the connection has ever listened and found tables of a usable version. If so, other connections need not
   * wait for it.
   */
  isProven = false;
  readonly #probe: SubscriptionProbe;
  #number = 0;
  /** Why notifications do not arrive; undefined while they do. */
  mutedBy: StoreError | undefined;

  constructor(options: NotificationConnectionOptions) {
    this.#options = options;
    const { make, timeout, isWaiting, isNeeded, down } = options;
    this.#probe = new SubscriptionProbe({
      ...{ timeout, isNeeded: isWaiting },
      publish: () => this.#publish(),
      failed: () => this.#died(),
    });
    this.reconnectingClient = new ReconnectingClient({
      ...{ make, timeout, isNeeded },
      setUp: (client) => this.#setUp(client),
      up: () => this.#up(),
      down: (error, ago) => {
        this.#probe.down();
        down(error, ago);
      },
    });
  }

  /** Called when a waiter is queued, whose grant will be announced by a notification. */
  waiterQueued(): void {
    this.#probe.wanted();
  }

  close(): Promise<void> {
    this.#probe.down();
    return this.reconnectingClient.close();
  }

  /** Closes the connection; `open()` opens another one. */
  disconnect(): Promise<void> {
    this.#probe.down();
    return this.reconnectingClient.disconnect();
  }

  /** Resolves once notifications are known to arrive. */
  async proven(): Promise<void> {
    if (!this.isProven) await this.reconnectingClient.open();
  }

  async #setUp(client: PostgresClient): Promise<void> {
    const { owner, schema, heard, timeout } = this.#options;
    const channel = channelOf(owner);
    const greeting = `hello ${crypto.randomUUID()}`;
    let greeted = () => {};
    const greetingArrived = new Promise<void>((resolve) => {
      greeted = resolve;
    });
    client.on('notification', ({ payload }: { payload: string }) => {
      this.#probe.heard();
      this.#mute(undefined);
      if (payload === greeting) greeted();
      else heard(payload);
    });
    await client.query(statement(`LISTEN ${channel}`));
    const full = await this.#notify(greeting).then(nothing, unlessFull);
    if (full === undefined) {
      await this.#awaitGreeting(
        client,
        greetingArrived,
        channel,
        Math.max(timeout / 2, MIN_GREETING_TIME),
      );
    } else if (!(await isDirect(client))) throw full;
    this.#mute(full);
    // Only now are the settings applied: with a pooler, a session's settings and locks would remain on a connection of
    // other clients. They include a timeout, since a session that waits for a lock does not notice that its client has
    // given up, and each attempt would leave one such session behind.
    const settings = sessionSettings(connectTimeout(timeout));
    const { rows: answer } = await client.query(statement(`${settings}, ${version(schema)}`));
    if (!this.isProven) await this.#options.elsewhere(statement(sessionSettings(timeout)));
    this.#checkVersion(answer[0]?.at(-1));
    const text = `SELECT ${forgetIfAlone(schema)}, ${schema}.register($1)`;
    const { rows } = await client.query(statement(text, [owner]));
    this.#number = Number(rows[0]?.[1]);
    this.isProven = true;
  }

  /** A newer release may have migrated the tables while this process was running. */
  #checkVersion(found: unknown): void {
    try {
      checkVersion(found);
    } catch (error) {
      this.isProven = false;
      throw error;
    }
  }

  #up(): void {
    this.#probe.up();
    this.#options.up(this.#number);
  }

  /** Called when the connection looks open but notifications do not arrive. */
  #died(): void {
    const error = unheard();
    this.#mute(error);
    this.reconnectingClient.lose(error);
  }

  #mute(error: StoreError | undefined): void {
    const isKnown = (this.mutedBy === undefined) === (error === undefined);
    if (isKnown) return;
    this.mutedBy = error;
    this.#options.muted(error);
  }

  async #publish(): Promise<void> {
    const full = await this.#notify('probe').then(nothing, unlessFull);
    if (full === undefined) return;
    this.#mute(full);
    throw full;
  }

  /** Notifies this process from another connection. */
  async #notify(message: string): Promise<void> {
    const { owner, elsewhere } = this.#options;
    const values = [channelOf(owner), message];
    const notify = () => elsewhere(statement('SELECT pg_catalog.pg_notify($1, $2)', values));
    try {
      await notify();
    } catch (error) {
      if (!isQueueFull(error)) throw error;
      // Queries the usage of the queue: since PostgreSQL 13, a full queue stays full, even after all notifications have
      // been read, until its usage is queried.
      await elsewhere(statement('SELECT pg_catalog.pg_notification_queue_usage()'));
      await notify();
    }
  }

  async #awaitGreeting(
    client: PostgresClient,
    greetingArrived: Promise<void>,
    channel: string,
    time: number,
  ): Promise<void> {
    let cancel = () => {};
    const timeoutPassed = new Promise<string>((resolve) => {
      cancel = limitTime(time, () => resolve(NOT_RECEIVED));
    });
    const problem = await Promise.race([greetingArrived, timeoutPassed]);
    cancel();
    if (problem === undefined) return;
    await client.query(statement(`UNLISTEN ${channel}`));
    throw refused(problem);
  }
}

function nothing(): undefined {
  return undefined;
}

/**
 * Returns the error if the server's queue of notifications is full. Waiters then poll, and everything else continues.
 * Throws any other error.
 */
function unlessFull(error: unknown): StoreError {
  if (isQueueFull(error)) return queueFull(error);
  throw error;
}

/** Whether the client is connected to the server itself. A pooler reports a process ID of its own. */
async function isDirect(client: PostgresClient): Promise<boolean> {
  const { rows } = await client.query(statement('SELECT pg_catalog.pg_backend_pid()'));
  return Number(rows[0]?.[0]) === (client as { processID?: unknown }).processID;
}
