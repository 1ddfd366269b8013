export { type Clock, systemClock } from './clock.ts';
export { type ErrorCode, HeadgateError } from './errors.ts';
export { createGate } from './gate/create-gate.ts';
export type { Demand, DemandOptions, Demands } from './gate/demands.ts';
export type { Gate, GateStats, GateWaitOptions } from './gate/gate.ts';
export type { GateLimit } from './gate/gate-limits.ts';
export type { GateLimitOptions, GateOptions, Guard } from './gate/options.ts';
export { ipKey } from './http/ip-key.ts';
export { createLimiter } from './limiter/create-limiter.ts';
export type {
  AcquireOptions,
  DistributedStats,
  Limiter,
  LimiterStats,
  LocalLimiter,
  WaitOptions,
} from './limiter/limiter.ts';
export { type MapOptions, map } from './limiter/map.ts';
export type {
  CommonOptions,
  DistributedLimiterOptions,
  LimiterOptions,
} from './limiter/options.ts';
export type { DistributedOptions, LimiterSource, OutagePolicy } from './limiter/source.ts';
export { adaptive } from './limits/adaptive.ts';
export { type AimdOptions, aimd } from './limits/aimd.ts';
export { type GradientOptions, gradient } from './limits/gradient.ts';
export type { Bounds, Limit, LimitFactory, Sample } from './limits/limit.ts';
export { vegas } from './limits/vegas.ts';
export { byPriority } from './queues/by-priority.ts';
export { byShare } from './queues/by-share.ts';
export { type CodelOptions, codel } from './queues/codel.ts';
export { fair } from './queues/fair.ts';
export { fifo } from './queues/fifo.ts';
export { lifo } from './queues/lifo.ts';
export type { Observer } from './semaphore/observer.ts';
export type { Outcome, Permit } from './semaphore/permit.ts';
export type { CloseOptions } from './semaphore/permit-tracker.ts';
export type { Priority } from './semaphore/priority.ts';
export type { Order, Queue, QueueContext } from './semaphore/queue.ts';
export { RejectedError, type Rejection, type RejectionReason } from './semaphore/rejection.ts';
export { StoreError } from './semaphore/store-error.ts';
export { Waiter } from './semaphore/waiter.ts';
