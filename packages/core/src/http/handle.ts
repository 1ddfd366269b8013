import type { Handle } from '../limiter/limiter.ts';
import type { Observer } from '../semaphore/observer.ts';
import type { CloseOptions } from '../semaphore/permit-tracker.ts';
import type { HttpGate, HttpStats } from './http-gate.ts';

/** The properties and methods that every middleware has. */
export interface HttpHandle extends Handle {
  /** Returns all numbers, as they are now. Counters are totals since the middleware was created. */
  stats(): HttpStats;
}

// biome-ignore lint/suspicious/noExplicitAny: each framework's middleware has its own parameters and result
type Middleware = (...args: any[]) => unknown;

/** Adds the handle's members to a middleware; `H` is the public type of the result. */
export function withHandle<H extends HttpHandle>(
  middleware: Middleware,
  http: Pick<HttpGate<never>, 'gate' | 'stats'>,
): H {
  const { gate } = http;
  return Object.defineProperties(middleware, {
    name: { value: gate.name },
    closed: { get: () => gate.closed },
    holders: { get: () => gate.holders },
    queued: { get: () => gate.queued },
    limiters: { value: gate.limiters },
    guard: { value: gate.guard },
    stats: { value: () => http.stats() },
    observe: { value: (observer: Observer) => gate.observe(observer) },
    close: { value: (options?: CloseOptions) => gate.close(options) },
  }) as unknown as H;
}
