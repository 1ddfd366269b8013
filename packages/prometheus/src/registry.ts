import {
  type Attributes,
  attributeNames,
  type Exporter,
  MeasuredLimits,
  type Metric,
  metrics,
} from '@headgate/core/metrics';
import { Counter, Gauge, type MetricValue, type Registry } from 'prom-client';
import { DurationsHistogram } from './durations-histogram.ts';
import { labelsOf, prometheusName, underscored } from './names.ts';

/** A registry is used by all calls of `collectMetrics`, so that its limits share the metrics. */
const known = new WeakMap<Registry, MeasuredLimits>();

export function limitsOf(register: Registry): MeasuredLimits {
  const limits = known.get(register) ?? new RegistryExporter(register).limits;
  known.set(register, limits);
  return limits;
}

/** The values of the present scrape, by metric. */
type Values = Map<Metric, MetricValue<string>[]>;

interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  readonly registers: Registry[];
}

/** Their values are read rather than set, which would hash the labels of each. */
class State extends Gauge {
  constructor(
    options: MetricOptions,
    private readonly read: () => MetricValue<string>[],
  ) {
    super(options);
  }

  override async get() {
    const values = this.read();
    return { ...(await super.get()), values };
  }
}

class Totals extends Counter {
  constructor(
    options: MetricOptions,
    private readonly read: () => MetricValue<string>[],
  ) {
    super(options);
  }

  override async get() {
    const values = this.read();
    return { ...(await super.get()), values };
  }
}

class RegistryExporter implements Exporter {
  readonly limits = new MeasuredLimits(this);
  readonly #durations = new Map<Metric, DurationsHistogram>();
  #values: Values | undefined;
  readonly #labels = new WeakMap<Attributes, Record<string, string>>();

  constructor(private readonly register: Registry) {}

  readonly open: Exporter['open'] = (metric, attributes) => {
    this.#register();
    return (this.#durations.get(metric) as DurationsHistogram).open(labelsOf(attributes));
  };

  start(): void {
    this.#register();
  }

  stop(): void {
    for (const metric of Object.values<Metric>(metrics)) {
      this.register.removeSingleMetric(prometheusName(metric));
    }
    this.#durations.clear();
  }

  #register(): void {
    if (this.#durations.size > 0) return;
    for (const metric of Object.values<Metric>(metrics)) {
      const options = this.#options(metric);
      const read = () => this.#collected().get(metric) ?? [];
      if (metric.kind === 'histogram')
        this.#durations.set(metric, new DurationsHistogram(options, [this.register]));
      else if (metric.kind === 'counter') new Totals(options, read);
      else new State(options, read);
    }
  }

  #options(metric: Metric): MetricOptions {
    const hasOutcome = metric === metrics.requests || metric === metrics.timeInQueue;
    const attributes = [attributeNames.limit, ...(hasOutcome ? [attributeNames.outcome] : [])];
    return {
      name: prometheusName(metric),
      help: metric.description,
      labelNames: attributes.map(underscored),
      registers: [this.register],
    };
  }

  /** Measures all limits once for a scrape, which reads all metrics in the same tick. */
  #collected(): Values {
    if (this.#values !== undefined) return this.#values;
    const values: Values = new Map();
    this.#values = values;
    queueMicrotask(() => {
      this.#values = undefined;
    });
    this.limits.collect((metric, value, attributes) => {
      const labels = this.#labels.get(attributes) ?? labelsOf(attributes);
      this.#labels.set(attributes, labels);
      const series = { value, labels };
      const all = values.get(metric);
      if (all === undefined) values.set(metric, [series]);
      else all.push(series);
    });
    return values;
  }
}
