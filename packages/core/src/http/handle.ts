import type { GateGuard } from '../gate/gate-guard.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Observer } from '../semaphore/observer.ts';
import type { CloseOptions } from '../semaphore/permit-tracker.ts';
import type { HttpGate, HttpStats } from './http-gate.ts';

/** The methods and properties that every middleware has, to inspect, resize and close its gate. */
export interface Handle {
  /** Whether it has been closed. It then rejects every request, except in shadow mode without stores. */
  readonly closed: boolean;
  /** Requests that hold a permit. */
  readonly inflight: number;
  /** Requests in the queue. */
  readonly queued: number;
  /** The gate's limiters by name, to resize them for instance. */
  readonly limiters: Readonly<Record<string, Limiter>>;
  /** The guard, if it has one. */
  readonly guard?: GateGuard | undefined;
  stats(): HttpStats;
  /** Adds an observer, which receives all later events, and returns a function that removes it. */
  observe(observer: Observer): () => void;
  /**
   * Rejects new and queued requests, and closes the limiters that the middleware has made. Resolves to 0 once the last
   * running request has finished. When the timeout passes or the signal aborts, it resolves to the number of requests
   * still running.
   */
  close(options?: CloseOptions): Promise<number>;
}

// biome-ignore lint/suspicious/noExplicitAny: each framework's middleware has its own parameters and result
type Middleware = (...args: any[]) => unknown;

/** Adds the handle's members to a middleware; `H` is the public type of the result. */
export function withHandle<H extends Handle>(
  middleware: Middleware,
  http: Pick<HttpGate<never>, 'gate' | 'stats'>,
): H {
  const limiters = http.gate.limits.map(({ limiter }) => [limiter.name, limiter]);
  return Object.defineProperties(middleware, {
    closed: { get: () => http.gate.closed },
    inflight: { get: () => http.gate.inflight },
    queued: { get: () => http.gate.queued },
    limiters: { value: Object.fromEntries(limiters) },
    guard: { value: http.gate.guard },
    stats: { value: () => http.stats() },
    observe: { value: (observer: Observer) => http.gate.observe(observer) },
    close: { value: (options?: CloseOptions) => http.gate.close(options) },
  }) as unknown as H;
}
