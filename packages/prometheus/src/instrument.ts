import type { Measurable } from '@headgate/core/metrics';
import { checkNames, invalid } from '@headgate/core/options';
import { register as globalRegistry, type Registry } from 'prom-client';
import { limitsOf } from './registry.ts';

/** Options of `instrument`. */
export interface InstrumentOptions {
  /** Exports the metrics. Default: the global registry of prom-client. */
  register?: Registry | undefined;
}

/**
 * Exports the metrics of limiters, gates, middleware and stores. Returns a function that removes them. A closed limit
 * or store is removed automatically.
 *
 * @throws HeadgateError for a value that is none of these, for one that this registry has already, for two limits or
 * two stores of the same name, for an invalid option, and for a registry that has another metric of the same name. It
 * then adds none of them.
 */
export function instrument(
  limits: Measurable | readonly Measurable[],
  options: InstrumentOptions = {},
): () => void {
  if (typeof (options as Partial<Registry> | null)?.registerMetric === 'function') {
    throw invalid('register', 'an option, as in instrument(limits, { register })', options);
  }
  checkNames('instrument', options, ['register']);
  const { register = globalRegistry } = options;
  if (typeof register?.registerMetric !== 'function')
    throw invalid('register', 'a registry of prom-client', register);
  return limitsOf(register).add(Array.isArray(limits) ? limits : [limits]);
}
