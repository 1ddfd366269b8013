import type { CloseOptions } from '../limiter/ledger.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { HttpGate, HttpStats } from './http-gate.ts';

/** Every middleware is also a handle on its gate. */
export interface Handle {
  /** Requests that hold a permit. */
  readonly inflight: number;
  /** Requests that wait. */
  readonly queued: number;
  /** By their names; to be resized, say. */
  readonly limiters: Readonly<Record<string, Limiter>>;
  stats(): HttpStats;
  /**
   * Turns newcomers and all who wait away, and closes the limiters that the middleware has made. Resolves to 0 when
   * the last running request is over, or to how many are not when the timeout has passed or the signal aborts.
   */
  close(options?: CloseOptions): Promise<number>;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the framework's middleware takes and returns
type Middleware = (...args: any[]) => unknown;

/** Makes the handle of a middleware; `H` is the type that it has for the app. */
export function withHandle<H extends Handle>(middleware: Middleware, http: AnyGate): H {
  const limiters = http.gate.limits.map(({ limiter }) => [limiter.name, limiter]);
  return Object.defineProperties(middleware, {
    inflight: { get: () => http.gate.inflight },
    queued: { get: () => http.gate.queued },
    limiters: { value: Object.fromEntries(limiters) },
    stats: { value: () => http.stats() },
    close: { value: (options?: CloseOptions) => http.gate.close(options) },
  }) as unknown as H;
}

type AnyGate = Pick<HttpGate<never>, 'gate' | 'stats'>;
