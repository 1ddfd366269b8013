import type { Queue } from './queue.ts';
import type { Waiter } from './waiter.ts';

/** Maximum weight, as a multiple of the limit, that may be admitted ahead of the waiter with the claim. */
const MAX_PASSED_LIMITS = 2;

/**
 * Reserves the next grant for a waiter that the queue has chosen but that does not fit yet. Without a claim, the queue
 * would choose again at each release, and a series of heavy waiters would each drain the limiter and keep it nearly
 * empty. While the claim waits, the order may admit lighter waiters, so that the limiter drains less often
 * (docs/decisions/0022).
 */
export class Claim {
  /**
   * The waiter that holds the claim. Undefined once it has left without a grant; the next waiter with the claim then
   * inherits `#passed`.
   */
  waiter: Waiter | undefined = undefined;
  #passed = 0;
  #isClosed = false;

  /**
   * Returns the waiter to admit while `waiter` holds the claim and does not fit into `room`: a lighter one, if the
   * order allows it.
   */
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
    // The new waiter comes from an earlier limit of its gate, and has arrived before the waiter with the claim.
    if (queue.next === waiter) this.waiter = undefined;
  }

  /** Called before a waiter is granted. Returns the claim unless this waiter held it. */
  granted(waiter: Waiter): Claim | undefined {
    if (this.waiter === waiter) return undefined;
    this.#passed += waiter.weight;
    return this;
  }

  /** Called before a waiter leaves without a grant. Returns whether it held the claim. */
  withdrawn(waiter: Waiter): boolean {
    if (this.waiter !== waiter) return false;
    this.waiter = undefined;
    return true;
  }
}
