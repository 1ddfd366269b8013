import type { Handle } from '../limiter/limiter.ts';
import type { GateStats } from '../limiter/stats.ts';
import type { Observer } from '../semaphore/observer.ts';
import type { CloseOptions } from '../semaphore/permit-tracker.ts';

/** Statistics of a middleware: those of its gate, and of requests that bypassed it. */
export interface HttpStats extends GateStats {
  /** Requests that bypassed the limits: because of `skip`, or as one of up to four CORS preflights at a time. */
  readonly skipped: number;
  /** Number of limits skipped because the request, or the one that the app has made it for, already held a permit. */
  readonly reentered: number;
}

/** The statistics of a middleware's gate. A single limiter has those that it shares with gates, and its own as `limits`. */
export function gateStats(handle: Handle): GateStats {
  const stats = handle.stats();
  if (stats.limits !== undefined) return stats;
  const { limit, limitReason, inflight, keys, baseline, priorities, shares, ...others } = stats;
  const { inflightPeak, inflightHistogram, ...common } = others;
  return { ...common, limits: [stats] };
}

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
  http: { readonly gate: Handle; stats(): HttpStats },
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
