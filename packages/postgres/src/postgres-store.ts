import {
  type Answer,
  type Capabilities,
  fullCapabilities,
  type Grant,
  type LimitName,
  type Op,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
  within,
} from '@headgate/core/distributed';
import { addressOf, refOf } from './address.ts';
import { BackgroundQueries } from './background-queries.ts';
import type { Call, Notifications, Sender } from './calls.ts';
import { type MakeClient, statement } from './client.ts';
import { closed, failure, isStartingOrStopping, late } from './failure.ts';
import { FailureDetector } from './failure-detector.ts';
import { Horizon } from './horizon.ts';
import { Liveness } from './liveness.ts';
import { migrate } from './migration.ts';
import { channelOf, NotificationConnection } from './notification-connection.ts';
import { OperationConnection } from './operation-connection.ts';
import { identifier } from './schema.ts';
import { sessionSettings } from './session.ts';
import { statistics, statsOf } from './stats.sql.ts';

export class PostgresStore extends Store {
  readonly can: Capabilities = fullCapabilities;
  readonly #make: MakeClient;
  readonly #schema: string;
  readonly #backgroundQueries: BackgroundQueries;
  readonly #notificationConnection: NotificationConnection;
  readonly #operationConnection: OperationConnection;
  readonly #failureDetector: FailureDetector;
  readonly #liveness: Liveness;
  #listener: StoreListener | undefined;
  #isUp = true;
  #isClosed = false;

  constructor(
    make: MakeClient,
    schema: string,
    leaseDuration: number,
    timeout: number,
    name = 'postgres',
  ) {
    super({ leaseDuration, timeout, name });
    this.#make = make;
    this.#schema = schema;
    const { owner } = this;
    const sender: Sender = { owner, leaseDuration, addresses: new WeakMap() };
    const own = { make, timeout, schema: identifier(schema), sender };
    const notify = (all: Notifications, call?: Call) => this.#notify(all, call);
    const settings = statement(sessionSettings(timeout));
    this.#backgroundQueries = new BackgroundQueries(make, timeout, () => {
      return this.#notificationConnection.isProven ? settings : undefined;
    });
    const query = this.#backgroundQueries.query.bind(this.#backgroundQueries);
    const unseen = (reason: string, ago: number) => this.#unseen(reason, ago);
    const slowed = (reason: string | undefined) => this.#listener?.slowed?.(reason);
    const horizon = new Horizon({ schema, query, slowed });
    this.#failureDetector = new FailureDetector({ ...own, query, unseen, notify, horizon });
    const { clock } = this;
    this.#liveness = new Liveness({ clock, leaseDuration, renew: () => this.#renew() });
    this.#notificationConnection = new NotificationConnection({
      ...own,
      owner,
      elsewhere: query,
      heard: (message) => this.#receive(message),
      up: (number) => {
        this.#failureDetector.join(number);
        this.#liveness.regain();
        this.#listener?.check();
      },
      down: (error, ago) => {
        this.#failureDetector.leave();
        this.#liveness.lose();
        // The connection reconnects and fails its calls with this reason until the tables can be used.
        if (!this.#notificationConnection.isProven)
          this.#operationConnection.reconnectingClient.lose(error);
        if (isStartingOrStopping(error)) this.#liveness.serverWasDown(ago);
      },
      isNeeded: () => this.#listener?.isWaiting === true,
      muted: (error) => this.#listener?.muted?.(error),
    });
    this.#operationConnection = new OperationConnection({
      ...own,
      ready: () => this.#notificationConnection.proven(),
      notify,
      up: () => this.#up(),
      down: (error) => this.#down(error),
    });
  }

  /**
   * Creates the tables that do not exist yet, and creates or replaces the functions. It may be called by every process
   * when it starts, and by many at once. `npx headgate-postgres` prints the SQL.
   *
   * @throws StoreError if the server cannot be reached, or if its role lacks the privileges.
   */
  migrate(): Promise<void> {
    return migrate(this.#make, this.#schema);
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    const answers: (Answer | undefined)[] = new Array(ops.length).fill(undefined);
    if (this.#isClosed) return answers.map(() => ({ error: closed() }));
    await within(timeout, (isLate) => this.#operationConnection.do(ops, answers, isLate));
    if (answers.some(isQueued)) this.#notificationConnection.waiterQueued();
    return answers.map((answer) => answer ?? { error: this.#missing() });
  }

  override certainUntil(sent: number): number {
    return Math.min(super.certainUntil(sent), this.#liveness.certainUntil(sent));
  }

  listen(listener: StoreListener): () => void {
    this.#listener = listener;
    // The store may have connected before, for `stats()`.
    const { mutedBy } = this.#notificationConnection;
    if (mutedBy !== undefined) listener.muted?.(mutedBy);
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  async stats(ref: LimitName): Promise<StoreStats> {
    if (this.#isClosed) throw closed();
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
    await within(this.timeout, async () => {
      if (this.#backgroundQueries.reconnectingClient.isUp) await this.#failureDetector.close();
      const connections = [
        this.#operationConnection.reconnectingClient,
        this.#notificationConnection,
        this.#backgroundQueries.reconnectingClient,
      ];
      await Promise.all(connections.map((connection) => connection.close()));
    });
  }

  /** The error for operations that got no answer in time. */
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
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#listener?.state(false, failure(error));
  }

  /** The listening connection looks open, but does not show other processes that this one is alive. */
  #unseen(reason: string, ago: number): void {
    this.#liveness.lose(ago);
    this.#notificationConnection.reconnectingClient.lose(new Error(reason));
  }

  /** Renews all leases if possible; otherwise the limiters must check how long their leases are still certain. */
  #renew(): void {
    const { isUp, lastError } = this.#operationConnection.reconnectingClient;
    if (isUp) this.#listener?.check();
    else this.#listener?.state(false, failure(lastError));
  }

  /**
   * Reports grants to this process and to others, asks the listed processes to release the permits they hold in reserve,
   * and notifies those listed that the limit is operated differently.
   */
  #notify({ grants, recalled, operated }: Notifications, call?: Call): void {
    const others = new Map<string, string[]>();
    for (const grant of grants) {
      const [owner = ''] = grant.id.split('.', 1);
      const { id, fencing } = grant;
      if (owner === this.owner) this.#listener?.grant(grant);
      else others.set(owner, [...(others.get(owner) ?? []), `${id} ${fencing}`]);
    }
    for (const [owner, lines] of others)
      this.#backgroundQueries.notify(channelOf(owner), 'grant', lines);
    // Only operations recall, and they always have a call.
    if (call === undefined) return;
    const { label } = call.address;
    for (const owner of recalled)
      this.#backgroundQueries.notify(channelOf(owner), 'recall', [label]);
    for (const owner of operated)
      this.#backgroundQueries.notify(channelOf(owner), 'operated', [label]);
  }

  // Every role of the database may notify, so malformed messages are ignored.
  #receive(message: string): void {
    const [what, ...lines] = message.split('\n');
    const listener = this.#listener;
    if (what === 'grant') for (const grant of grantsOf(lines)) listener?.grant(grant);
    if (what !== 'recall' && what !== 'operated') return;
    const ref = refOf(lines[0] ?? '');
    if (ref !== undefined) listener?.[what]?.(ref);
  }
}

function isQueued(answer: Answer | undefined): boolean {
  return answer !== undefined && 'state' in answer && answer.state === 'queued';
}

function grantsOf(lines: readonly string[]): Grant[] {
  return lines.flatMap((line) => {
    const [, id, token] = /^(\S+) (\d+)$/.exec(line) ?? [];
    return id === undefined || token === undefined ? [] : [{ id, fencing: BigInt(token) }];
  });
}
