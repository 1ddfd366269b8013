import type { Limiter } from '../limiter/limiter.ts';
import type { BasePermit, Permit } from '../limiter/permit.ts';
import type { Rejection } from '../limiter/rejection.ts';
import { isGone, Waiter } from '../limiter/waiter.ts';
import type { Gate } from './gate.ts';
import { giveBack } from './gate-permit.ts';
import type { Takes } from './takes.ts';

/** A request on its way through a gate: it passes the limits in their order and holds those that it has passed. */
export class Passage extends Waiter {
  /** The limit that it is at. */
  at: Limiter | undefined = undefined;
  /** Its place in the order of arrival, in every line of the gate. */
  order = 0;
  readonly #permits: BasePermit[] = [];
  #step = 0;

  constructor(
    private readonly gate: Gate,
    readonly waiter: Waiter,
    private readonly takes: Takes,
  ) {
    super();
  }

  /** Asks the next limit that applies; after the last, the request is admitted. */
  advance(): void {
    for (; this.#step < this.takes.length; this.#step++) {
      const take = this.takes[this.#step];
      const limiter = this.gate.limits[this.#step]?.limiter;
      if (take === undefined || limiter === undefined) continue;
      this.at = limiter;
      this.key = take.key;
      this.limit = take.limit;
      // The limit may have been lowered while the request waited for an earlier one.
      this.weight = Math.min(take.weight, take.limit ?? limiter.usage(take.key).limit);
      return this.#ask(limiter);
    }
    this.gate.admit(this, this.#permits);
  }

  granted(permit: Permit): void {
    this.#permits.push(permit as BasePermit);
    this.#step++;
    // As others are turned away by a gate that closes, their places come free.
    if (this.gate.closed) this.gate.refuse(this, this.gate.closedRejection());
    else this.advance();
  }

  rejected(rejection: Rejection): void {
    this.gate.refuse(this, rejection);
  }

  /** One deadline and one count for the whole way: the gate is asked at the first line only. */
  override joins(): boolean {
    if (this.order === 0 && !this.gate.lets(this)) return false;
    this.arrival = this.order;
    return true;
  }

  override gone(): boolean {
    if (!isGone(this.waiter)) return false;
    this.gate.forget(this);
    return true;
  }

  giveBack(): void {
    giveBack(this.#permits.splice(0), 'ignored');
  }

  #ask(limiter: Limiter): void {
    try {
      limiter.request(this);
    } catch (error) {
      this.gate.drop(this);
      throw error;
    }
  }
}
