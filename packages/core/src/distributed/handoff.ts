import { grantFrom, type Served } from '../semaphore/grants.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { DistributedSemaphore } from './distributed-semaphore.ts';
import type { Lease } from './lease.ts';
import { maxIdleTime } from './reserve.ts';

/**
 * Hands released leases to waiters of this process before they return to the store. The oldest waiter is next,
 * whichever lease is released: the position that it leaves in the store's queue goes to another waiter of this
 * process.
 */
export class Handoff implements Served {
  ready = false;
  /** Released leases, to be passed to waiters of this process. */
  readonly #passing: Lease[] = [];

  constructor(private readonly semaphore: DistributedSemaphore) {}

  /** Maximum number of leases requested at once: with hand-off as many as can be held, without it one per waiter. */
  get maxSent(): number {
    return this.#isOn ? this.semaphore.limitState.limit : Infinity;
  }

  /** Whether a released lease may pass to a waiter of this process. */
  mayPass(lease: Lease): boolean {
    const { parent, waiters, heldLeases } = this.semaphore;
    if (lease.uses > parent.settings.handoff) return false;
    if (waiters.first?.weight !== lease.weight) return false;
    return (
      parent.session.store.clock.now() - lease.since < maxIdleTime && heldLeases.isUsable(lease)
    );
  }

  pass(lease: Lease): void {
    this.#passing.push(lease);
    grantFrom(this);
  }

  serve(): void {
    // The array may grow during the iteration.
    for (const lease of this.#passing) this.semaphore.admission.pass(lease);
    this.#passing.length = 0;
  }

  /** Removes and returns the waiter to grant a free lease: its own, or with hand-off the oldest. */
  next(lease: Lease): Waiter | undefined {
    const { first } = this.semaphore.waiters;
    const isFirst = this.#isOn && first?.weight === lease.weight;
    const own = isFirst ? (first.queuedAt as Lease) : lease;
    const hadLocalWaiter = own.localWaiter !== undefined;
    const waiter = this.semaphore.leave(own);
    if (own !== lease) this.#reuse(own, lease, hadLocalWaiter);
    return waiter;
  }

  get #isOn(): boolean {
    return this.semaphore.parent.settings.handoff > 0;
  }

  /**
   * Gives a queued lease that has lost its waiter to the waiter that `lease` belonged to, or to the first without
   * one.
   */
  #reuse(own: Lease, lease: Lease, hadLocalWaiter: boolean): void {
    const { waiters, parent, heldLeases } = this.semaphore;
    const unsent = waiters.firstUnsent?.queuedAt as Lease | undefined;
    const from = lease.waiter === undefined ? unsent : lease;
    // A lease with a local waiter is not queued at the store, so it is useless to a waiter that can keep its own lease.
    const isUseful = from?.weight === own.weight && (from === lease || !hadLocalWaiter);
    if (from === undefined || !isUseful) return heldLeases.release(own);
    const waiter = waiters.remove(from) as Waiter;
    own.isCounted = from.isCounted;
    if (from !== lease) parent.session.forget(from);
    waiters.add(waiter, own);
    this.semaphore.prolong(own);
    if (hadLocalWaiter) parent.fallback.take(own, parent.circuitBreaker.error);
  }
}
