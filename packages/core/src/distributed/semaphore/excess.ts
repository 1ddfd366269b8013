import type { Rejection } from '../../semaphore/rejection.ts';
import type { GroupMember, SemaphoreGroup } from '../../semaphore/semaphore-group.ts';
import { identityOf, type Waiter } from '../../semaphore/waiter.ts';

/**
 * Reports a request that is admitted in shadow mode, if it would have been rejected: `excess` is the weight by which it
 * exceeds the limit. A queue over several processes cannot be simulated by one of them, so only the answer of a store can
 * take too long.
 */
export function reportExcess(
  group: SemaphoreGroup<GroupMember>,
  waiter: Waiter,
  excess: number,
): void {
  const { name: limitName, queueLimit, queueWeight } = group.settings;
  // In requests, assuming that all have the weight of this one.
  const queued = Math.ceil(excess / waiter.weight);
  if (queued > Math.min(queueLimit, waiter.gateQueueLimit) || excess > queueWeight) {
    reportInShadow(group, waiter, { reason: 'full', limitName, queued, waited: 0, retryAfter: 1 });
  }
}

/** Reports how a request that is admitted in shadow mode would have been rejected. */
export function reportInShadow(
  group: SemaphoreGroup<GroupMember>,
  waiter: Waiter,
  rejection: Rejection,
): void {
  if (!waiter.isReported) group.counters.rejectedInShadow(rejection, identityOf(waiter));
  waiter.exceeds(rejection);
}
