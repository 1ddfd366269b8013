/**
 * The parts of limits that are counted outside of this process, for `@headgate/store-kit`, and what the command
 * `headgate` measures with. Both install the same version of this package. Not for applications: each release may change
 * these exports.
 */

export { checkBound, checkChoice, checkSpan } from './checks.ts';
export { checkClock, maxTimer, startTimer } from './clock.ts';
export { attempt } from './errors.ts';
export { BaseLimiter } from './limiter/base-limiter.ts';
export type {
  LimiterSettings,
  LimiterSource,
  OutagePolicy,
} from './limiter/distributed-options.ts';
export { InProcessLimiter } from './limiter/in-process-limiter.ts';
export { MAX_PAUSE } from './limiter/options.ts';
export type { StoreActivity } from './metrics/store-activity.ts';
export { outsideRequest } from './outside-request.ts';
export { FifoQueue } from './queues/fifo.ts';
export { clockOf, isLate } from './semaphore/deadlines.ts';
export { deferGrants, type GrantSource, grantFrom } from './semaphore/grants.ts';
export { Heap } from './semaphore/heap.ts';
export { LearnedTimeout } from './semaphore/learned-timeout.ts';
export { Observers } from './semaphore/observers.ts';
export { BasePermit, type PermitHolder, type PermitRegistry } from './semaphore/permit.ts';
export type { CloseOptions } from './semaphore/permit-tracker.ts';
export type { RejectionCause } from './semaphore/rejection.ts';
export { checkIdle, checkKey, checkRequest, keyText } from './semaphore/request.ts';
export { RetryAfter } from './semaphore/retry-after.ts';
export type { GroupMember } from './semaphore/semaphore-group.ts';
export { announce, grantQueued, identityOf, isGone, waitedSince } from './semaphore/waiter.ts';
export { MeasuredCapacity, type MeasuredLimit } from './shadow/measured-capacity.ts';
export { warn, warnOnce } from './warning.ts';
