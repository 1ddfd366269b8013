import type { StoreError, Waiter } from '@headgate/core';
import { maxTimer } from '@headgate/core/engine';
import { Lease } from '../lease/lease.ts';

/** A lease of a semaphore, and the waiter that it was requested for. */
export class AssignedLease extends Lease {
  /** The waiter that is granted the lease. */
  waiter: Waiter | undefined = undefined;
  /** Waits at the local limiter on behalf of `waiter` while the store is unavailable. */
  localWaiter: { leave(): void; readonly error: StoreError | undefined } | undefined = undefined;
  /** Whether the waiter is counted and reported as queued. */
  isCounted = false;
  /** In shadow mode: the weight beyond the limit when the lease was granted. */
  excess = 0;
  /** Number of permits that have used the lease. */
  uses = 0;
  /** When the store granted the lease, or when it last became idle. */
  since = 0;

  get timeLeft(): number {
    const { waiter, semaphore } = this;
    const bucket = waiter?.timeoutBucket;
    if (waiter === undefined || bucket === undefined || semaphore.terms.queueLimit === 0) return 0;
    if (waiter.deadline === 0) return maxTimer;
    const left = Math.ceil(waiter.deadline - bucket.deadlines.clock.now());
    return Math.min(Math.max(left, 0), maxTimer);
  }
}
