export { type Clock, systemClock } from './clock.ts';
export { type ErrorCode, HeadgateError } from './errors.ts';
export { createGate } from './gate/create-gate.ts';
export type { Gate, GateStats, GateWaitOptions } from './gate/gate.ts';
export type { GateLimit } from './gate/gate-limits.ts';
export type { Guard } from './gate/guard.ts';
export type { GateLimitOptions, GateOptions } from './gate/options.ts';
export type { Take, TakeOptions, Takes } from './gate/takes.ts';
export { ipKey } from './http/ip-key.ts';
export {
  createLimiter,
  type LimiterOptions,
  type SharedLimiterOptions,
} from './limiter/create-limiter.ts';
export type { CloseOptions } from './limiter/ledger.ts';
export type {
  AcquireOptions,
  Limiter,
  LimiterStats,
  LocalLimiter,
  SharedStats,
  WaitOptions,
} from './limiter/limiter.ts';
export type { Line, Order, Site } from './limiter/line.ts';
export { type MapOptions, map } from './limiter/map.ts';
export type { Observer } from './limiter/observer.ts';
export { byParty } from './limiter/orders/by-party.ts';
export { byPriority } from './limiter/orders/by-priority.ts';
export { byShare } from './limiter/orders/by-share.ts';
export { type CodelOptions, codel } from './limiter/orders/codel.ts';
export { fifo } from './limiter/orders/fifo.ts';
export { lifo } from './limiter/orders/lifo.ts';
export type { Outcome, Permit } from './limiter/permit.ts';
export type { Priority } from './limiter/priority.ts';
export { RejectedError, type Rejection, type RejectionReason } from './limiter/rejection.ts';
export type { LimiterSource, OutagePolicy, SharedOptions } from './limiter/source.ts';
export { StoreError } from './limiter/store-error.ts';
export { Waiter } from './limiter/waiter.ts';
export { adaptive } from './limits/adaptive.ts';
export { type AimdOptions, aimd } from './limits/aimd.ts';
export { type GradientOptions, gradient } from './limits/gradient.ts';
export type { Bounds, Limit, LimitFactory, Sample } from './limits/limit.ts';
export { vegas } from './limits/vegas.ts';
