import { HeadgateError, invalid } from '../errors.ts';
import type { Handle } from '../limiter/limiter.ts';
import type { MeasurableStore } from './measured-stores.ts';

/** What can be measured: a limiter, a gate, a middleware, or a store. */
export type Measurable = Handle | MeasurableStore;

/** @throws HeadgateError for a value that is not a limit. */
export function checkMeasurable(value: unknown): asserts value is Handle {
  const { observe, stats, limiters } = (value ?? {}) as Partial<Handle>;
  if (typeof observe === 'function' && typeof stats === 'function' && limiters) return;
  throw invalid('limit', 'a limiter, a gate, a middleware or a store', value);
}

export function duplicate(name: string, remedy: string): HeadgateError {
  const message = `a limit "${name}" is measured here already: ${remedy}`;
  return new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'limit');
}
