export { type Clock, systemClock } from './clock.ts';
export { type ErrorCode, HeadgateError } from './errors.ts';
export { createGate } from './gate/create-gate.ts';
export type { Gate, GateWaitOptions } from './gate/gate.ts';
export type { GateOptions, Guard } from './gate/options.ts';
export { guard, type Signal } from './guard/guard.ts';
export { memoryUse } from './guard/memory-use.ts';
export { roundTrip } from './guard/round-trip.ts';
export { ipKey } from './http/ip-key.ts';
export { type TimeLeft, timeLeft } from './http/time-left.ts';
export type { WaitOptions } from './limiter/acquire-options.ts';
export { createLimiter } from './limiter/create-limiter.ts';
export type { GateGuard, GuardStats } from './limiter/gate-guard.ts';
export type { Handle, Limiter, LimiterState, LocalLimiter } from './limiter/limiter.ts';
export { map } from './limiter/map.ts';
export type { DistributedLimiterOptions, LimiterOptions } from './limiter/options.ts';
export type {
  DistributedStats,
  GateStats,
  LimiterStats,
  Stats,
  StoreStats,
} from './limiter/stats.ts';
export { adaptive } from './limits/adaptive.ts';
export { aimd } from './limits/aimd.ts';
export type { Limit, LimitFactory, Outcome, Sample } from './limits/limit.ts';
export { loadReport } from './metrics/load-report.ts';
export { defaultLimit } from './pacing/default-limit.ts';
export type { EventLoop } from './pacing/event-loop.ts';
export { byPriority } from './queues/by-priority.ts';
export { byShare } from './queues/by-share.ts';
export { fair } from './queues/fair.ts';
export { fifo, lifo } from './queues/fifo.ts';
export { onBun, onWorkers } from './runtime.ts';
export type { Observer, Operation } from './semaphore/observer.ts';
export type { Permit } from './semaphore/permit.ts';
export type { Priority } from './semaphore/priority.ts';
export type { Order, QueueStats, ShareStats } from './semaphore/queue.ts';
export {
  RejectedError,
  type Rejection,
  type RejectionReason,
  StoreError,
} from './semaphore/rejection.ts';
export type { LimitForecast, ShadowStats, Suggestion } from './semaphore/shadow-stats.ts';
export { Waiter } from './semaphore/waiter.ts';
export { workersClock } from './workers-clock.ts';
