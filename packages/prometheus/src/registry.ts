import {
  type Attributes,
  attributeNames,
  bucketBounds,
  type Exporter,
  MeasuredLimits,
  type Metric,
  metrics,
} from '@headgate/core/metrics';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { labelsOf, prometheusName, underscored } from './names.ts';

/** A registry is used by all calls of `collectMetrics`, so that its limits share the metrics. */
const known = new WeakMap<Registry, MeasuredLimits>();

export function limitsOf(register: Registry): MeasuredLimits {
  const limits = known.get(register) ?? new RegistryExporter(register).limits;
  known.set(register, limits);
  return limits;
}

type State = Counter | Gauge;

class RegistryExporter implements Exporter {
  readonly limits = new MeasuredLimits(this);
  readonly #state = new Map<Metric, State>();
  readonly #durations = new Map<Metric, Histogram>();
  /** Whether the values are those of the present scrape, which reads all metrics in the same tick. */
  #isFresh = false;

  constructor(private readonly register: Registry) {}

  readonly open: Exporter['open'] = (metric, attributes) => {
    this.#register();
    const histogram = this.#durations.get(metric) as Histogram;
    const labels = labelsOf(attributes);
    const series = histogram.labels(labels);
    return {
      record: (seconds) => series.observe(seconds),
      remove: () => histogram.remove(labels),
    };
  };

  start(): void {
    this.#register();
  }

  stop(): void {
    for (const metric of Object.values<Metric>(metrics)) {
      this.register.removeSingleMetric(prometheusName(metric));
    }
    this.#state.clear();
    this.#durations.clear();
  }

  #register(): void {
    if (this.#state.size > 0) return;
    for (const metric of Object.values<Metric>(metrics)) {
      if (metric.kind === 'histogram') this.#durations.set(metric, this.#histogram(metric));
      else this.#state.set(metric, this.#stateOf(metric));
    }
  }

  #stateOf(metric: Metric): State {
    const options = { ...this.#options(metric), collect: () => this.#refresh() };
    return metric.kind === 'counter' ? new Counter(options) : new Gauge(options);
  }

  #histogram(metric: Metric): Histogram {
    return new Histogram({ ...this.#options(metric), buckets: [...bucketBounds] });
  }

  #options(metric: Metric) {
    const hasOutcome = metric === metrics.requests || metric === metrics.timeInQueue;
    const attributes = [attributeNames.limit, ...(hasOutcome ? [attributeNames.outcome] : [])];
    return {
      name: prometheusName(metric),
      help: metric.description,
      labelNames: attributes.map(underscored),
      registers: [this.register],
    };
  }

  /** Measures all limits once for a scrape, although each metric of prom-client has a callback of its own. */
  #refresh(): void {
    if (this.#isFresh) return;
    this.#isFresh = true;
    queueMicrotask(() => {
      this.#isFresh = false;
    });
    for (const state of this.#state.values()) state.reset();
    this.limits.collect((metric, value, attributes) => this.#set(metric, value, attributes));
  }

  #set(metric: Metric, value: number, attributes: Attributes): void {
    const state = this.#state.get(metric);
    const labels = labelsOf(attributes);
    // A counter that was reset has the total after one increment.
    if (state instanceof Counter) state.inc(labels, value);
    else state?.set(labels, value);
  }
}
