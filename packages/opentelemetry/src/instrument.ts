import type { Measurable } from '@headgate/core/metrics';
import { checkNames, invalid } from '@headgate/core/options';
import { type Meter, metrics, type Tracer } from '@opentelemetry/api';
import { limitsOf } from './meter.ts';
import { scope } from './scope.ts';
import { addWaitSpans } from './traced-limits.ts';

/** Options of `instrument`. */
export interface InstrumentOptions {
  /** Exports the metrics. Default: a meter of the global meter provider, which must be registered before. */
  meter?: Meter | undefined;
  /** Creates the spans. Default: a tracer of the global tracer provider. */
  tracer?: Tracer | undefined;
}

/**
 * Exports the metrics of limiters, gates, middleware and stores, and adds a span to each request that is queued.
 * Returns a function that ends both. A closed limit or store is removed automatically.
 *
 * @throws HeadgateError for a value that is none of these, for one that this meter has already, for two limits or two
 * stores of the same name, and for an invalid option. It then instruments none of them.
 */
export function instrument(
  limits: Measurable | readonly Measurable[],
  options: InstrumentOptions = {},
): () => void {
  if (typeof (options as Partial<Meter> | null)?.createHistogram === 'function') {
    throw invalid('meter', 'an option, as in instrument(limits, { meter })', options);
  }
  checkNames('instrument', options, ['meter', 'tracer']);
  const { meter = metrics.getMeter(scope), tracer } = options;
  if (typeof meter?.addBatchObservableCallback !== 'function')
    throw invalid('meter', 'a meter of OpenTelemetry', meter);
  if (tracer !== undefined && typeof tracer?.startSpan !== 'function')
    throw invalid('tracer', 'a tracer of OpenTelemetry', tracer);
  const all: readonly Measurable[] = Array.isArray(limits) ? limits : [limits];
  return limitsOf(meter).add(all, (limit) => addWaitSpans(limit, tracer));
}
