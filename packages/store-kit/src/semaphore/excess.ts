import type { Rejection, Waiter } from '@headgate/core';
import { identityOf } from '@headgate/core/engine';
import type { DistributedSemaphoreGroup } from './distributed-semaphore-group.ts';

/**
 * Reports a request that shadow mode admits and the limit would have rejected. `excess` is the weight beyond the limit.
 * A single process cannot simulate the queue of all processes, so it reports no timeouts, except those in the store's
 * answers.
 */
export function reportExcess(
  group: DistributedSemaphoreGroup,
  waiter: Waiter,
  excess: number,
): void {
  const { name: limitName, queueLimit, queueWeight } = group.settings;
  // The number of queued requests, if all had the weight of this one.
  const queued = Math.ceil(excess / waiter.weight);
  if (queued > Math.min(queueLimit, waiter.gateQueueLimit) || excess > queueWeight) {
    reportInShadow(group, waiter, { reason: 'full', limitName, queued, waited: 0, retryAfter: 1 });
  }
}

/** Reports the rejection that shadow mode has prevented. */
export function reportInShadow(
  group: DistributedSemaphoreGroup,
  waiter: Waiter,
  rejection: Rejection,
): void {
  if (!waiter.isReported) group.counters.rejectedInShadow(rejection, identityOf(waiter));
  waiter.exceeds(rejection);
}
