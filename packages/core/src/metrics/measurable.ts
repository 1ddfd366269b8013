import { HeadgateError, invalid } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import type { Handle } from '../http/handle.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { MeasurableStore } from './measured-stores.ts';

export type MeasurableLimit = Limiter | Gate | Handle;

/** What can be measured: a limiter, a gate, a middleware, or a store. */
export type Measurable = MeasurableLimit | MeasurableStore;

/** The limiters of a limit, in the order of its statistics. */
export function limitersOf(limit: MeasurableLimit): readonly Limiter[] {
  if ('limits' in limit) return limit.limits.map(({ limiter }) => limiter);
  if (!('limiters' in limit)) return [limit];
  return limit.stats().limits.map(({ name }) => limit.limiters[name] as Limiter);
}

/** @throws HeadgateError for a value that is not a limit. */
export function checkMeasurable(value: unknown): asserts value is MeasurableLimit {
  const { observe, stats } = (value ?? {}) as Partial<Limiter>;
  if (typeof observe === 'function' && typeof stats === 'function') return;
  throw invalid('limit', 'a limiter, a gate, a middleware or a store', value);
}

export function duplicate(name: string, remedy: string): HeadgateError {
  const message = `a limit "${name}" is measured here already: ${remedy}`;
  return new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'limit');
}
