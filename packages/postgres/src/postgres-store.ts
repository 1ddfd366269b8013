import {
  type Answer,
  type Capabilities,
  type LimitName,
  type Op,
  outsideRequest,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
  within,
} from '@headgate/store-kit';
import { addressOf } from './address.ts';
import { BackgroundQueries } from './background-queries.ts';
import type { Sender } from './calls.ts';
import { type MakeClient, type Query, statement } from './client.ts';
import { closed, failure, isStartingOrStopping, late } from './failure.ts';
import { FailureDetector } from './failure-detector.ts';
import { Horizon } from './horizon.ts';
import { IdleTimer } from './idle-timer.ts';
import { Liveness } from './liveness.ts';
import { Messages } from './messages.ts';
import { migrate } from './migration.ts';
import { NotificationConnection } from './notification-connection.ts';
import { OperationConnection } from './operation-connection.ts';
import { identifier } from './schema.ts';
import { sessionSettings } from './session.ts';
import { statistics, statsOf } from './stats.sql.ts';

export type PostgresStoreSettings = ConstructorParameters<typeof Store>[0] & {
  readonly make: MakeClient;
  /** The schema's name, unquoted. */
  readonly schema: string;
  readonly idleTimeout: number;
};

/** A store in PostgreSQL, as `postgresStore` returns it. */
export class PostgresStore extends Store {
  /** What the store supports. */
  readonly can: Capabilities = { recall: true };
  readonly #make: MakeClient;
  readonly #schema: string;
  readonly #backgroundQueries: BackgroundQueries;
  readonly #notificationConnection: NotificationConnection;
  readonly #operationConnection: OperationConnection;
  readonly #failureDetector: FailureDetector;
  readonly #liveness: Liveness;
  readonly #idleTimer: IdleTimer;
  #listener: StoreListener | undefined;
  #isUp = true;
  #isClosed = false;

  constructor(settings: PostgresStoreSettings) {
    super(settings);
    const { make, schema, leaseDuration, timeout, idleTimeout } = settings;
    this.#make = make;
    this.#schema = schema;
    const { owner } = this;
    const sender: Sender = { owner, leaseDuration, addresses: new WeakMap() };
    const own = { make, timeout, schema: identifier(schema), sender };
    const messages = new Messages({
      owner,
      listener: () => this.#listener,
      send: (to, word, lines) => this.#backgroundQueries.notify(to, word, lines),
    });
    const notify = messages.announce.bind(messages);
    const session = statement(sessionSettings(timeout));
    const isNeeded = () => !this.#idleTimer.isIdle;
    this.#backgroundQueries = new BackgroundQueries({
      ...{ make, timeout, isNeeded },
      settings: () => (this.#notificationConnection.isProven ? session : undefined),
    });
    const query = this.#backgroundQueries.query.bind(this.#backgroundQueries);
    const unseen = (reason: string, ago: number) => this.#unseen(reason, ago);
    const slowed = (reason: string | undefined) => this.#listener?.slowed?.(reason);
    const horizon = new Horizon({ schema, query, slowed });
    const inOrder = (one: Query) => this.#operationConnection.reconnectingClient.query(one);
    this.#failureDetector = new FailureDetector({
      ...own,
      ...{ query, inOrder, unseen, notify, horizon },
    });
    const { clock } = this;
    this.#liveness = new Liveness({ clock, leaseDuration, renew: () => this.#renew() });
    this.#idleTimer = new IdleTimer({
      ...{ clock, idleTimeout },
      isActive: () => this.#isActive,
      suspend: () => {
        this.#failureDetector.suspend();
        this.#liveness.regain();
      },
      disconnect: () => {
        this.#failureDetector.leave();
        for (const connection of this.#connections) void connection.disconnect();
      },
    });
    this.#notificationConnection = new NotificationConnection({
      ...own,
      owner,
      elsewhere: query,
      heard: (message) => messages.receive(message),
      up: (number) => {
        this.#idleTimer.wake();
        this.#failureDetector.join(number);
        this.#liveness.regain();
        this.#listener?.check();
      },
      down: (error, ago) => {
        this.#failureDetector.leave();
        // Until the tables can be used, the connection for operations reconnects and fails its calls with this reason.
        if (!this.#notificationConnection.isProven)
          this.#operationConnection.reconnectingClient.lose(error);
        if (this.#idleTimer.isIdle) return;
        this.#liveness.lose();
        if (isStartingOrStopping(error)) this.#liveness.serverWasDown(ago);
      },
      isWaiting: () => this.#listener?.isWaiting === true,
      isNeeded,
      muted: (error) => this.#listener?.muted?.(error),
    });
    this.#operationConnection = new OperationConnection({
      ...own,
      ready: () => this.#notificationConnection.proven(),
      isIdle: () => this.#idleTimer.isIdle,
      wake: () => outsideRequest(() => this.#wake()),
      isNeeded,
      notify,
      up: () => this.#up(),
      down: (error) => this.#down(error),
    });
  }

  /**
   * Creates the tables that do not exist yet, and creates or replaces the functions. Every process may call it when it
   * starts, also many at once. `npx headgate-postgres` prints the SQL.
   *
   * @throws StoreError if the server cannot be reached, or if its role lacks the privileges.
   */
  migrate(): Promise<void> {
    return migrate(this.#make, this.#schema);
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    const answers: (Answer | undefined)[] = new Array(ops.length).fill(undefined);
    if (this.#isClosed) return answers.map(() => ({ error: closed() }));
    this.#idleTimer.used();
    await within(timeout, (isLate) => this.#operationConnection.do(ops, answers, isLate));
    if (answers.some(isQueued)) this.#notificationConnection.waiterQueued();
    return answers.map((answer) => answer ?? { error: this.#missing() });
  }

  override certainUntil(sent: number): number {
    return Math.min(super.certainUntil(sent), this.#liveness.certainUntil(sent));
  }

  listen(listener: StoreListener): () => void {
    this.#listener = listener;
    // `stats()` may have opened the connection earlier, so its state is reported now.
    const { mutedBy } = this.#notificationConnection;
    if (mutedBy !== undefined) listener.muted?.(mutedBy);
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  async stats(ref: LimitName): Promise<StoreStats> {
    if (this.#isClosed) throw closed();
    this.#idleTimer.used();
    const text = statistics(identifier(this.#schema));
    const query = statement(text, [addressOf(ref).hash]);
    const answer =
      (await within(this.timeout, (isLate) => {
        const ask = () => this.#backgroundQueries.query(query, { isLate });
        return this.#notificationConnection.proven().then(ask).then(statsOf, failure);
      })) ?? this.#missing();
    if (answer instanceof StoreError) throw answer;
    return answer;
  }

  override get closed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#liveness.close();
    this.#idleTimer.close();
    await within(this.timeout, async () => {
      if (this.#backgroundQueries.reconnectingClient.isUp) await this.#failureDetector.close();
      await Promise.all(this.#connections.map((connection) => connection.close()));
    });
  }

  get #connections() {
    return [
      this.#operationConnection.reconnectingClient,
      this.#notificationConnection,
      this.#backgroundQueries.reconnectingClient,
    ];
  }

  /** If there is no listener, no lease has been requested. */
  get #isActive(): boolean {
    return this.#listener !== undefined && this.#listener.isActive !== false;
  }

  /** Registers this process, so that others notice if it ends with the permits that it is about to acquire. */
  async #wake(): Promise<void> {
    this.#idleTimer.wake();
    const { reconnectingClient } = this.#notificationConnection;
    // If the connection is new, it registers the process itself.
    await this.#failureDetector.resume()?.catch((error) => reconnectingClient.lose(error));
    await reconnectingClient.open();
  }

  /** The error for operations that received no answer in time. */
  #missing(): StoreError {
    const { isUp, lastError } = this.#operationConnection.reconnectingClient;
    return isUp || lastError === undefined ? late() : failure(lastError);
  }

  #up(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.#listener?.state(true);
  }

  #down(error: unknown): void {
    // The next operation connects again.
    if (!this.#isUp || this.#idleTimer.isIdle) return;
    this.#isUp = false;
    this.#listener?.state(false, failure(error));
  }

  /** Called when the listening connection looks open but does not show other processes that this one is alive. */
  #unseen(reason: string, ago: number): void {
    this.#liveness.lose(ago);
    this.#notificationConnection.reconnectingClient.lose(new Error(reason));
  }

  /** Renews all leases if possible. Otherwise, makes the limiters check how long their leases are still certain. */
  #renew(): void {
    const { isUp, lastError } = this.#operationConnection.reconnectingClient;
    if (isUp) this.#listener?.check();
    else this.#listener?.state(false, failure(lastError));
  }
}

function isQueued(answer: Answer | undefined): boolean {
  return answer !== undefined && 'state' in answer && answer.state === 'queued';
}
