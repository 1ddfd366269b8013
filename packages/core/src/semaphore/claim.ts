import type { Queue } from './queue.ts';
import type { Waiter } from './waiter.ts';

/** Maximum weight, as a multiple of the limit, that may be admitted ahead of the waiter with the claim. */
const MAX_PASSED_LIMITS = 2;

/**
 * Reserves the next grant for a waiter that the queue has chosen but that does not fit yet. If the queue chose again at
 * each release, different heavy waiters would drain the limiter again and again and keep it nearly empty. Meanwhile the
 * order may admit lighter waiters, so that the limiter drains less often (docs/decisions/0022).
 */
export class Claim {
  /**
   * The waiter that holds the claim. Undefined once it has left without a grant: the next waiter to claim inherits
   * `#passed`.
   */
  waiter: Waiter | undefined = undefined;
  #passed = 0;
  #isClosed = false;

  /** The waiter to admit next, where `waiter` holds the claim and `room` is too small for it. */
  next(waiter: Waiter, queue: Queue, room: number, limit: number): Waiter {
    if (this.#isClosed || this.#passed >= MAX_PASSED_LIMITS * limit) return waiter;
    return queue.bypass?.(waiter, room) ?? waiter;
  }

  /**
   * Called when weight was released. If half of the limit is idle, too few light waiters are queued to fill it:
   * admitting them would only delay the claim.
   */
  released({ limit, inflight }: { readonly limit: number; readonly inflight: number }): void {
    if (2 * (limit - inflight) > limit) this.#isClosed = true;
  }

  enqueued(waiter: Waiter, queue: Queue): void {
    if (this.waiter === undefined || waiter.arrival >= this.waiter.arrival) return;
    // It was admitted by an earlier limit of its gate, and arrived before the waiter with the claim.
    if (queue.next === waiter) this.waiter = undefined;
  }

  /** Called before a waiter is granted; returns the claim that remains. */
  granted(waiter: Waiter): Claim | undefined {
    if (this.waiter === waiter) return undefined;
    this.#passed += waiter.weight;
    return this;
  }

  /** Called before a waiter leaves without a grant; returns whether it has the claim. */
  withdrawn(waiter: Waiter): boolean {
    if (this.waiter !== waiter) return false;
    this.waiter = undefined;
    return true;
  }
}
