import type { Rejection } from '../../semaphore/rejection.ts';
import type { GroupMember, SemaphoreGroup } from '../../semaphore/semaphore-group.ts';
import { identityOf, type Waiter } from '../../semaphore/waiter.ts';

/**
 * Reports a request that is admitted in shadow mode, if it would have been rejected. `excess` is the weight by which it
 * exceeds the limit. A single process cannot simulate a queue over several, so the only timeout it reports is that of a
 * store's answer.
 */
export function reportExcess(
  group: SemaphoreGroup<GroupMember>,
  waiter: Waiter,
  excess: number,
): void {
  const { name: limitName, queueLimit, queueWeight } = group.settings;
  // The number of queued requests, assuming that all have the weight of this one.
  const queued = Math.ceil(excess / waiter.weight);
  if (queued > Math.min(queueLimit, waiter.gateQueueLimit) || excess > queueWeight) {
    reportInShadow(group, waiter, { reason: 'full', limitName, queued, waited: 0, retryAfter: 1 });
  }
}

/** Reports the rejection that shadow mode has prevented. */
export function reportInShadow(
  group: SemaphoreGroup<GroupMember>,
  waiter: Waiter,
  rejection: Rejection,
): void {
  if (!waiter.isReported) group.counters.rejectedInShadow(rejection, identityOf(waiter));
  waiter.exceeds(rejection);
}
