/** What applications import from the package of their framework, in addition to the middleware. */
export type { Admission } from './http/gated-request.ts';
export { ipKey } from './http/ip-key.ts';
export { createLimiter } from './limiter/create-limiter.ts';
export { adaptive } from './limits/adaptive.ts';
export { codel } from './queues/codel.ts';
export { fifo, lifo } from './queues/fifo.ts';
export type { Observer } from './semaphore/observer.ts';
export type { Permit } from './semaphore/permit.ts';
export type { Priority } from './semaphore/priority.ts';
export { RejectedError, type Rejection, type RejectionReason } from './semaphore/rejection.ts';
