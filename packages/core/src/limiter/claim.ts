import type { Line } from './line.ts';
import type { Waiter } from './waiter.ts';

/** Limits' worth of weight that may be admitted before a waiter with the claim. */
const maxPassed = 2;

/**
 * A waiter that the queue has chosen though it is heavier than the room there is has the claim: it stays chosen until
 * it fits. A queue that chose anew at each release would drain the limiter again and again, and keep it nearly empty.
 * Meanwhile the order may admit lighter waiters, so that the limiter drains less often (docs/decisions/0022).
 */
export class Claim {
  /** Undefined after it has left without a grant; then the next one inherits what has passed it. */
  waiter: Waiter | undefined = undefined;
  #passed = 0;
  #isClosed = false;

  /** The waiter to admit next into `room`, which is too little for this one with the claim. */
  next(waiter: Waiter, line: Line, room: number, limit: number): Waiter {
    if (this.#isClosed || this.#passed >= maxPassed * limit) return waiter;
    return line.besides?.(waiter, room) ?? waiter;
  }

  /**
   * Weight has been released. Where half of the limit is idle, too few wait to fill it: they would only delay the
   * claim.
   */
  released(room: number, limit: number): void {
    if (2 * room > limit) this.#isClosed = true;
  }

  passedBy({ weight }: Waiter): void {
    this.#passed += weight;
  }
}
