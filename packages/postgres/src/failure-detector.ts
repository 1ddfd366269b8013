import type { BackgroundQueryOptions } from './background-queries.ts';
import { decode, type Notifications, type Sender } from './calls.ts';
import { type Query, statement } from './client.ts';
import { forgetIfAlone, GRACE_PERIOD, MAX_FORGOTTEN, MAX_SWEPT } from './failure-detector.sql.ts';
import type { Horizon } from './horizon.ts';

/** Milliseconds between two checks of the predecessor. */
const PERIOD = 250;
/**
 * Milliseconds after which an unanswered check is repeated on another connection. If the server has ended all sessions
 * of this process, the process must notice that before its permits are granted to others.
 */
const CHECK_TIMEOUT = GRACE_PERIOD / 2;

export interface FailureDetectorOptions {
  readonly schema: string;
  readonly sender: Sender;
  query(query: Query, options?: BackgroundQueryOptions): Promise<readonly unknown[][]>;
  /** Runs a statement on the connection for operations, before later operations. */
  inOrder(query: Query): Promise<unknown>;
  /**
   * Called if other processes cannot see that this one is alive. `ago` is the maximum time in milliseconds since they
   * could last see it. The process must then register again.
   */
  unseen(reason: string, ago: number): void;
  /** Sends these notifications. */
  notify(notifications: Notifications): void;
  /** Detects dead rows that VACUUM cannot remove. It runs only in the first process of the ring. */
  readonly horizon: Horizon;
}

/** Failure detector: watches the previous process in the ring, and expires leases of limits without operations. */
export class FailureDetector {
  readonly #options: FailureDetectorOptions;
  #number: number | undefined;
  /** The number that this process keeps while it has left the ring. */
  #suspendedNumber: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #sweptAt = performance.now();
  #isTending = false;
  /** When the check was sent that last found this process's own session alive. */
  #aliveAt = 0;

  constructor(options: FailureDetectorOptions) {
    this.#options = options;
  }

  /** Starts to watch the predecessor. This process has this number. */
  join(number: number): void {
    this.#number = number;
    this.#suspendedNumber = undefined;
    this.#aliveAt = performance.now();
    this.#later(0);
  }

  /** Called when the number is no longer held: other processes may consider this one dead. */
  leave(): void {
    this.#number = undefined;
    this.#suspendedNumber = undefined;
    clearTimeout(this.#timer);
    this.#options.horizon.clear();
  }

  /**
   * Leaves the ring and keeps the number. A process without leases need not be watched, and does not watch others. If
   * it stayed in the ring, no process would watch its predecessor.
   */
  suspend(): void {
    const number = this.#number;
    this.leave();
    this.#suspendedNumber = number;
    if (number !== undefined) void this.#unregister(this.#options.inOrder);
  }

  /**
   * Joins the ring again.
   *
   * @returns undefined if the process no longer has a number.
   */
  resume(): Promise<void> | undefined {
    const number = this.#suspendedNumber;
    if (number === undefined) return undefined;
    const { schema, inOrder, sender } = this.#options;
    const text = `WITH t AS (
  INSERT INTO ${schema}.members (number, owner) OVERRIDING SYSTEM VALUE VALUES ($1, $2) ON CONFLICT DO NOTHING
) SELECT ${forgetIfAlone(schema)}`;
    return inOrder(statement(text, [number, sender.owner])).then(() => {
      if (this.#suspendedNumber === number) this.join(number);
    });
  }

  /** Leaves the ring for good. Other processes do not consider this one dead, and its leases expire normally. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#number === undefined) return;
    await this.#unregister(this.#options.query);
  }

  async #unregister(query: (query: Query) => Promise<unknown>): Promise<void> {
    const { schema, sender } = this.#options;
    const text = `DELETE FROM ${schema}.members WHERE owner = $1`;
    await query(statement(text, [sender.owner])).catch(() => {});
  }

  #later(pause: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#number === undefined) return;
    this.#timer = setTimeout(() => void this.#watch(), pause);
    this.#timer.unref();
  }

  async #watch(): Promise<void> {
    const found = await this.#check();
    if (found === 'dead') setTimeout(() => void this.#sweep(), GRACE_PERIOD + 1).unref();
    // Not awaited: on a dead connection it would delay the next check.
    if (found === 'first' && !this.#isTending) void this.#tend();
    this.#later(found === 'dead' ? 0 : PERIOD);
  }

  /** Cleans up for all processes, once per lease duration. Only the first process of the ring does this. */
  async #tend(): Promise<void> {
    const { schema, query, sender, horizon } = this.#options;
    if (performance.now() - this.#sweptAt <= sender.leaseDuration) return;
    this.#isTending = true;
    const forget = statement(`SELECT ${schema}.forget()`);
    await this.#sweep();
    const forgotten = await query(forget).then(
      ([row]) => Number(row?.[0]),
      () => 0,
    );
    // If some are left, the next check continues with them, however long the lease duration is.
    if (forgotten === MAX_FORGOTTEN) this.#sweptAt = -Infinity;
    else await horizon.check();
    this.#isTending = false;
  }

  async #check(): Promise<unknown> {
    const { query, unseen } = this.#options;
    const number = this.#number;
    const sent = performance.now();
    const found = await query(this.#watchQuery(), { timeout: CHECK_TIMEOUT }).then(
      ([row]) => row?.[0],
      () => 'nothing',
    );
    if (number !== this.#number) return 'nothing';
    if (found === 'ended')
      unseen('the server has ended the connection', performance.now() - this.#aliveAt);
    // A process that has no row must register again, since others can only consider registered processes dead.
    else if (found === 'unregistered') unseen('this process is no longer registered', 0);
    else if (found !== 'nothing') this.#aliveAt = sent;
    return found;
  }

  /**
   * The query of a check. The row of this process is missing if the tables were emptied, or dropped and created again.
   */
  #watchQuery(): Query {
    const { schema, sender } = this.#options;
    const text = `SELECT CASE
  WHEN ${schema}.has_ended($1) THEN 'ended'
  WHEN NOT EXISTS (SELECT FROM ${schema}.members AS t WHERE t.number = $1 AND t.owner = $2) THEN 'unregistered'
  ELSE ${schema}.watch($1) END`;
    const values = [this.#number, sender.owner];
    return { name: 'headgate watch', text, values, rowMode: 'array' };
  }

  async #sweep(): Promise<void> {
    const { schema, query, sender, notify } = this.#options;
    this.#sweptAt = performance.now();
    const sweep = statement(`SELECT ${schema}.sweep($1)`, [sender.owner]);
    let replies: readonly unknown[][];
    do {
      replies = await query(sweep).catch(() => []);
      for (const [reply] of replies) {
        if (typeof reply === 'string')
          notify(decode(reply, { indices: [], limit: 0, operated: undefined }, sender, []));
      }
      // Then there may be more.
    } while (replies.length === MAX_SWEPT);
  }
}
