import {
  bucketBounds,
  type Exporter,
  MeasuredLimits,
  type Metric,
  metrics,
} from '@headgate/core/metrics';
import type { BatchObservableResult, Histogram, Meter, Observable } from '@opentelemetry/api';

/** All calls of `instrument` with one meter share an exporter, so that their limits share one callback. */
const known = new WeakMap<Meter, MeasuredLimits>();

export function limitsOf(meter: Meter): MeasuredLimits {
  const limits = known.get(meter) ?? new MeterExporter(meter).limits;
  known.set(meter, limits);
  return limits;
}

class MeterExporter implements Exporter {
  readonly limits = new MeasuredLimits(this);
  readonly #state = new Map<Metric, Observable>();
  readonly #durations = new Map<Metric, Histogram>();

  constructor(private readonly meter: Meter) {
    for (const metric of Object.values<Metric>(metrics)) {
      if (metric.kind === 'histogram') this.#durations.set(metric, histogram(meter, metric));
      else this.#state.set(metric, observable(meter, metric));
    }
  }

  readonly open: Exporter['open'] = (metric, attributes) => {
    const durations = this.#durations.get(metric);
    return { record: (seconds) => durations?.record(seconds, attributes) };
  };

  start(): void {
    this.meter.addBatchObservableCallback(this.#collect, [...this.#state.values()]);
  }

  stop(): void {
    this.meter.removeBatchObservableCallback(this.#collect, [...this.#state.values()]);
  }

  readonly #collect = (result: BatchObservableResult): void => {
    this.limits.collect((metric, value, attributes) => {
      const observed = this.#state.get(metric);
      if (observed !== undefined) result.observe(observed, value, attributes);
    });
  };
}

function histogram(meter: Meter, { name, unit, description }: Metric): Histogram {
  const advice = { explicitBucketBoundaries: [...bucketBounds] };
  return meter.createHistogram(name, { unit, description, advice });
}

function observable(meter: Meter, { name, kind, unit, description }: Metric): Observable {
  const options = { unit, description };
  if (kind === 'counter') return meter.createObservableCounter(name, options);
  if (kind === 'sum') return meter.createObservableUpDownCounter(name, options);
  return meter.createObservableGauge(name, options);
}
