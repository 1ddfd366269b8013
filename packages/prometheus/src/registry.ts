import { HeadgateError } from '@headgate/core';
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
import { aggregatorOf, labelsOf, prometheusName, underscored } from './names.ts';

/** All calls of `instrument` with one registry share an exporter, so that their limits share the metrics. */
const known = new WeakMap<Registry, RegistryExporter>();

/** @throws HeadgateError if the registry has another metric under the name of one of these metrics. */
export function limitsOf(register: Registry): MeasuredLimits {
  const exporter = known.get(register) ?? new RegistryExporter(register);
  exporter.prepare();
  known.set(register, exporter);
  return exporter.limits;
}

/** prom-client formats `sharedLabels` once, and keeps the text for as long as the object exists. */
type Values = { readonly value: number; readonly sharedLabels: Record<string, string> }[];

/** The values of the present scrape, by metric. */
type Collected = Map<Metric, Values>;

interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  readonly aggregator: ReturnType<typeof aggregatorOf>;
  readonly registers: Registry[];
}

/** The members that `Registry.metrics()` reads instead of `get()`. They are missing in the types of prom-client. */
interface ScrapedMetric extends Pick<MetricOptions, 'name' | 'help' | 'aggregator'> {
  readonly type: 'gauge' | 'counter';
  readonly values: Values;
}

/** A gauge whose values are read at each scrape. Setting them instead would hash the labels of each value. */
class ReadGauge extends Gauge {
  constructor(
    private readonly options: MetricOptions,
    private readonly read: () => Values,
  ) {
    super(options);
  }

  override async get() {
    const values = asJson(this.read());
    return { ...(await super.get()), values };
  }

  async getForPromString(): Promise<ScrapedMetric> {
    const { name, help, aggregator } = this.options;
    return { name, help, aggregator, type: 'gauge', values: this.read() };
  }
}

/** The same for a counter. */
class ReadCounter extends Counter {
  constructor(
    private readonly options: MetricOptions,
    private readonly read: () => Values,
  ) {
    super(options);
  }

  override async get() {
    const values = asJson(this.read());
    return { ...(await super.get()), values };
  }

  async getForPromString(): Promise<ScrapedMetric> {
    const { help, aggregator } = this.options;
    // prom-client changes the name of the object for OpenMetrics.
    const { name } = this as unknown as MetricOptions;
    return { name, help, aggregator, type: 'counter', values: this.read() };
  }
}

function asJson(values: Values): MetricValue<string>[] {
  return values.map(({ value, sharedLabels: labels }) => ({ value, labels }));
}

function taken(name: string): HeadgateError {
  const message = `the registry has a metric "${name}" already: use another registry`;
  return new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'register');
}

class RegistryExporter implements Exporter {
  readonly limits = new MeasuredLimits(this);
  /** The metrics that this exporter has registered, by name. */
  readonly #registered = new Map<string, Gauge | Counter | DurationsHistogram>();
  readonly #durations = new Map<Metric, DurationsHistogram>();
  #values: Collected | undefined;
  readonly #labels = new WeakMap<Attributes, Record<string, string>>();

  constructor(private readonly register: Registry) {}

  /** Called before limits are added. */
  prepare(): void {
    const names = [...this.#registered.keys()];
    // The app has cleared the registry, as tests do. That also removes the limits.
    if (!names.some((name) => this.#isRegistered(name))) this.limits.clear();
    if (this.#registered.size > 0) return;
    for (const metric of Object.values<Metric>(metrics)) {
      const name = prometheusName(metric);
      if (this.register.getSingleMetric(name) !== undefined) throw taken(name);
    }
  }

  readonly open: Exporter['open'] = (metric, attributes) => {
    this.#register();
    return (this.#durations.get(metric) as DurationsHistogram).open(labelsOf(attributes));
  };

  start(): void {
    this.#register();
  }

  stop(): void {
    for (const name of this.#registered.keys()) {
      // The app may have cleared the registry, and registered a metric of its own under this name.
      if (this.#isRegistered(name)) this.register.removeSingleMetric(name);
    }
    this.#registered.clear();
    this.#durations.clear();
  }

  #isRegistered(name: string): boolean {
    return this.register.getSingleMetric(name) === this.#registered.get(name);
  }

  #register(): void {
    if (this.#registered.size > 0) return;
    for (const metric of Object.values<Metric>(metrics)) {
      this.#registered.set(prometheusName(metric), this.#metric(metric));
    }
  }

  #metric(metric: Metric) {
    const options = this.#options(metric);
    const read = () => this.#collected().get(metric) ?? [];
    if (metric.kind === 'counter') return new ReadCounter(options, read);
    if (metric.kind !== 'histogram') return new ReadGauge(options, read);
    const durations = new DurationsHistogram(options, [this.register]);
    this.#durations.set(metric, durations);
    return durations;
  }

  #options(metric: Metric): MetricOptions {
    return {
      name: prometheusName(metric),
      help: metric.description,
      labelNames: Object.values(attributeNames).map(underscored),
      aggregator: aggregatorOf(metric),
      registers: [this.register],
    };
  }

  #labelsOf(attributes: Attributes): Record<string, string> {
    let labels = this.#labels.get(attributes);
    if (labels === undefined) {
      labels = labelsOf(attributes);
      this.#labels.set(attributes, labels);
    }
    return labels;
  }

  /** Measures all limits once for a scrape, which reads all metrics in the same tick. */
  #collected(): Collected {
    if (this.#values !== undefined) return this.#values;
    const values: Collected = new Map();
    this.#values = values;
    queueMicrotask(() => {
      this.#values = undefined;
    });
    this.limits.collect((metric, value, attributes) => {
      const series = { value, sharedLabels: this.#labelsOf(attributes) };
      const all = values.get(metric);
      if (all === undefined) values.set(metric, [series]);
      else all.push(series);
    });
    return values;
  }
}
