/**
 * Exports for applications, which each framework's package re-exports next to its middleware. They include the types
 * that these functions return, so that TypeScript can name them in an application's declarations.
 */

export { createGate } from './gate/create-gate.ts';
export type { Gate } from './gate/gate.ts';
export { guard } from './guard/guard.ts';
export { memoryUse } from './guard/memory-use.ts';
export { roundTrip } from './guard/round-trip.ts';
export type { Admission } from './http/admission.ts';
export { type AdmissionFields, admissionFields } from './http/admission.ts';
export { ipKey } from './http/ip-key.ts';
export { type TimeLeft, timeLeft } from './http/time-left.ts';
export { createLimiter } from './limiter/create-limiter.ts';
export type { Limiter, LocalLimiter } from './limiter/limiter.ts';
export { map } from './limiter/map.ts';
export { adaptive } from './limits/adaptive.ts';
export { aimd } from './limits/aimd.ts';
export type { LimitFactory } from './limits/limit.ts';
export { loadReport } from './metrics/load-report.ts';
export { defaultLimit } from './pacing/default-limit.ts';
export type { EventLoop } from './pacing/event-loop.ts';
export { byPriority } from './queues/by-priority.ts';
export { byShare } from './queues/by-share.ts';
export { fair } from './queues/fair.ts';
export { fifo, lifo } from './queues/fifo.ts';
export type { Observer } from './semaphore/observer.ts';
export type { Permit } from './semaphore/permit.ts';
export type { Priority } from './semaphore/priority.ts';
export type { Order } from './semaphore/queue.ts';
export {
  RejectedError,
  type Rejection,
  type RejectionReason,
  StoreError,
} from './semaphore/rejection.ts';
