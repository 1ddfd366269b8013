import { decode, type News, type Sender } from './calls.ts';
import { type Query, statement } from './client.ts';
import type { Horizon } from './horizon.ts';
import { grace, mostForgotten, mostSwept } from './ring.sql.ts';

/** Milliseconds from one look at the process before to the next. */
const period = 250;
/**
 * Milliseconds until a look without an answer is repeated on another connection: where the server has ended all of this
 * process's sessions, the process must know before its permits are granted to others.
 */
const patience = grace / 2;

export interface RingOptions {
  readonly schema: string;
  readonly sender: Sender;
  query(query: Query, patience?: number): Promise<readonly unknown[][]>;
  /** The server has ended this process's own session at some time since: `ago` milliseconds. */
  ended(ago: number): void;
  news(news: News): void;
  /** Is looked at by the first process of the ring, for all. */
  readonly horizon: Horizon;
}

/** Looks whether the process before this one in the ring still lives, and tends what nobody asks for. */
export class Ring {
  readonly #options: RingOptions;
  #number: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #swept = performance.now();
  #isTending = false;
  /** When a look was sent that found this process's own session alive. */
  #alive = 0;

  constructor(options: RingOptions) {
    this.#options = options;
  }

  /** From now on, under this number. */
  join(number: number): void {
    this.#number = number;
    this.#alive = performance.now();
    this.#later(0);
  }

  /** It has lost its number: others may take it for dead. */
  leave(): void {
    this.#number = undefined;
    clearTimeout(this.#timer);
    this.#options.horizon.rest();
  }

  /** Leaves for good: nobody takes it for dead, and what it still holds ends with its lease. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#number === undefined) return;
    const { schema, query } = this.#options;
    const text = `DELETE FROM ${schema}.members WHERE number = $1`;
    await query(statement(text, [this.#number])).catch(() => {});
  }

  #later(pause: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#number === undefined) return;
    this.#timer = setTimeout(() => void this.#watch(), pause);
    this.#timer.unref();
  }

  async #watch(): Promise<void> {
    const found = await this.#look();
    if (found === 'dead') setTimeout(() => void this.#sweep(), grace + 1).unref();
    // Not awaited: on a dead connection it would delay the next look.
    if (found === 'first' && !this.#isTending) void this.#tend();
    this.#later(found === 'dead' ? 0 : period);
  }

  /** Once in a lease, what is needed once: the first process does it for all. */
  async #tend(): Promise<void> {
    const { schema, query, sender, horizon } = this.#options;
    if (performance.now() - this.#swept <= sender.lease) return;
    this.#isTending = true;
    const forget = statement(`SELECT ${schema}.forget()`);
    const swept = await this.#sweep();
    const forgotten = await query(forget).then(
      ([row]) => Number(row?.[0]),
      () => 0,
    );
    // The next look goes on with it, however long a lease is.
    if (swept === mostSwept || forgotten === mostForgotten) this.#swept = -Infinity;
    else await horizon.look();
    this.#isTending = false;
  }

  async #look(): Promise<unknown> {
    const { schema, query, ended } = this.#options;
    const number = this.#number;
    const text = `SELECT CASE WHEN ${schema}.has_ended($1) THEN 'ended' ELSE ${schema}.watch($1) END`;
    const watch: Query = {
      ...{ name: 'headgate watch', text, values: [number], rowMode: 'array' },
    };
    const sent = performance.now();
    const found = await query(watch, patience).then(
      ([row]) => row?.[0],
      () => 'nothing',
    );
    if (number !== this.#number) return 'nothing';
    if (found === 'ended') ended(performance.now() - this.#alive);
    else if (found !== 'nothing') this.#alive = sent;
    return found;
  }

  /** Returns of how many limits. */
  async #sweep(): Promise<number> {
    const { schema, query, sender, news } = this.#options;
    this.#swept = performance.now();
    const sweep = statement(`SELECT ${schema}.sweep($1)`, [sender.owner]);
    const replies = await query(sweep).catch(() => []);
    for (const [reply] of replies) {
      if (typeof reply === 'string') news(decode(reply, { indices: [], limit: 0 }, sender, []));
    }
    return replies.length;
  }
}
