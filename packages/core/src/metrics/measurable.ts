import { HeadgateError, invalid } from '../errors.ts';
import type { Gate, GateStats } from '../gate/gate.ts';
import type { Handle } from '../http/handle.ts';
import type { Limiter, LimiterStats } from '../limiter/limiter.ts';

/** What can be measured: a limiter, a gate, or a middleware. */
export type Measurable = Limiter | Gate | Handle;

/** The statistics of requests, which all of them have in common. */
export interface Measured {
  readonly stats: LimiterStats | GateStats;
  /** Number of requests that hold a permit. */
  readonly active: number;
  /** The limits, and the limiter of each. */
  readonly limits: readonly { readonly limiter: Limiter; readonly stats: LimiterStats }[];
}

export function measure(limit: Measurable): Measured {
  const stats = limit.stats();
  if (!('limits' in stats)) {
    const limiter = limit as Limiter;
    return { stats, active: limiter.holders, limits: [{ limiter, stats }] };
  }
  const limiters = limitersOf(limit);
  const limits = stats.limits.map((one, index) => ({
    limiter: limiters[index] as Limiter,
    stats: one,
  }));
  return { stats, active: stats.inflight, limits };
}

/** The limiters of a limit, in the order of its statistics. */
export function limitersOf(limit: Measurable): readonly Limiter[] {
  if ('limits' in limit) return limit.limits.map(({ limiter }) => limiter);
  if (!('limiters' in limit)) return [limit];
  return limit.stats().limits.map(({ name }) => limit.limiters[name] as Limiter);
}

/** @throws HeadgateError for a value that is not a limit. */
export function checkMeasurable(value: unknown): asserts value is Measurable {
  const { observe, stats } = (value ?? {}) as Partial<Limiter>;
  if (typeof observe === 'function' && typeof stats === 'function') return;
  throw invalid('limit', 'a limiter, a gate or a middleware', value);
}

export function duplicate(name: string, remedy: string): HeadgateError {
  const message = `a limit "${name}" is measured here already: ${remedy}`;
  return new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'limit');
}
