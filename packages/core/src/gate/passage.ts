import type { Limiter } from '../limiter/limiter.ts';
import type { BasePermit } from '../limiter/permit.ts';
import type { Rejection } from '../limiter/rejection.ts';
import { isGone, Waiter } from '../limiter/waiter.ts';
import { giveBack } from './gate-permit.ts';
import { type Takes, weightNow } from './takes.ts';

/** The gate, as a request sees it that passes. */
export interface Way {
  readonly closed: boolean;
  /**
   * Whether a request may begin to wait; from then on its time runs, and it counts unless it only waits for the word of
   * a store.
   */
  startWaiting(passage: Passage): boolean;
  /** Whether a request that has waited for the word of a store may wait in line; from then on it counts. */
  startQueueing(passage: Passage): boolean;
  /** It has passed the last limit. */
  admit(passage: Passage, parts: readonly BasePermit[]): void;
  /** A limit has rejected it, or with no word from a limit, the gate is closed. */
  reject(passage: Passage, rejection?: Rejection): void;
  /** Its caller has gone. */
  forget(passage: Passage): void;
  /** What it has passed is given back, and nobody is told. */
  abandon(passage: Passage): void;
}

/** A request on its way through a gate: it passes the limits in their order and holds those that it has passed. */
export class Passage extends Waiter {
  /** The limit that it is at. */
  at: Limiter | undefined = undefined;
  /** Waits for the word of a store, and not in line. */
  asking = false;
  /** Its place in the order of arrival, in every line of the gate; 0 while it has not had to wait. */
  order = 0;
  /** Withdrawn, rejected or failed; perhaps by a callback, while a limit was about to answer. */
  #over = false;

  constructor(
    private readonly way: Way,
    readonly waiter: Waiter,
    private readonly takes: Takes,
    /** What it holds already, of the first limits. */
    private parts: BasePermit[],
  ) {
    super();
    this.priority = waiter.priority;
    if (waiter.party !== undefined) this.party = waiter.party;
  }

  /** Asks the next limit; after the last, the request is admitted. */
  advance(): void {
    const take = this.takes[this.parts.length];
    if (take === undefined) return this.way.admit(this, this.parts);
    this.at = take.limiter;
    this.key = take.key;
    this.limit = take.limit;
    if (this.share !== take.share) this.share = take.share;
    this.weight = weightNow(take);
    try {
      take.limiter.request(this);
    } catch (error) {
      this.way.abandon(this);
      throw error;
    }
  }

  granted(permit: BasePermit): void {
    if (this.#over) return permit.release('ignored');
    this.parts.push(permit);
    // As others are turned away by a gate that closes, their places come free.
    if (this.way.closed) this.way.reject(this);
    else this.advance();
  }

  rejected(rejection: Rejection): void {
    if (!this.#over) this.way.reject(this, rejection);
  }

  /** One deadline and one count for the whole way: the gate is asked at the first line only. */
  override joins(): boolean {
    if (this.#over || (this.order === 0 && !this.way.startWaiting(this))) return false;
    if (this.asking && !this.at?.isShared && !this.way.startQueueing(this)) return false;
    // Who was told that it waits may have sent it away.
    if (this.#over || this.way.closed) return false;
    this.arrival = this.order;
    for (const part of this.parts) part.pause(this);
    return true;
  }

  override queues(): boolean {
    return !this.asking || (this.way.startQueueing(this) && !this.#over);
  }

  override gone(): boolean {
    if (!isGone(this.waiter)) return false;
    this.way.forget(this);
    return true;
  }

  giveBack(): void {
    const { parts } = this;
    this.#over = true;
    this.parts = [];
    giveBack(parts, 'ignored');
  }
}
