import { bucketBounds } from '@headgate/core/metrics';
import { Histogram } from 'prom-client';

type Labels = Record<string, string>;

/** A value of a series, with the labels that all of them have apart, so that they are created and formatted once. */
interface Value {
  readonly metricName: string;
  readonly labels: Labels;
  readonly sharedLabels: Labels;
  readonly value: number;
}

const none: Labels = {};
const bucketLabels: readonly Labels[] = [...bucketBounds, '+Inf'].map((le) => ({ le: `${le}` }));

/** One series: the values are counted here, since prom-client would hash the labels for each of them. */
class Series {
  /** By bucket; the last one is that of values above all bounds. */
  readonly #counts = new Array<number>(bucketBounds.length + 1).fill(0);
  #sum = 0;

  constructor(
    private readonly name: string,
    private readonly labels: Labels,
  ) {}

  record(seconds: number): void {
    let bucket = 0;
    while (bucket < bucketBounds.length && seconds > (bucketBounds[bucket] as number)) bucket++;
    (this.#counts[bucket] as number)++;
    this.#sum += seconds;
  }

  /** As prom-client reports a histogram. */
  values(): Value[] {
    const { name, labels: sharedLabels } = this;
    const metricName = `${name}_bucket`;
    let count = 0;
    const values = this.#counts.map((of, bucket): Value => {
      count += of;
      return { metricName, labels: bucketLabels[bucket] ?? none, sharedLabels, value: count };
    });
    values.push({ metricName: `${name}_sum`, labels: none, sharedLabels, value: this.#sum });
    values.push({ metricName: `${name}_count`, labels: none, sharedLabels, value: count });
    return values;
  }
}

interface Options {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

/** A histogram whose values cost requests as little as possible. */
export class DurationsHistogram extends Histogram {
  readonly #series = new Set<Series>();

  constructor(
    private readonly options: Options,
    registers: ConstructorParameters<typeof Histogram>[0]['registers'],
  ) {
    super({ ...options, buckets: [...bucketBounds], ...(registers && { registers }) });
  }

  open(labels: Labels): { record(seconds: number): void; remove(): void } {
    const series = new Series(this.options.name, labels);
    this.#series.add(series);
    return {
      record: (seconds) => series.record(seconds),
      remove: () => void this.#series.delete(series),
    };
  }

  override async get(): ReturnType<Histogram['get']> {
    const metric = await this.getForPromString();
    const values = metric.values.map(({ sharedLabels, labels, ...value }) => {
      return { ...value, labels: { ...labels, ...sharedLabels } };
    });
    return { ...metric, values } as never;
  }

  /** What the registry calls for the text of a scrape; not in the types of prom-client. */
  async getForPromString() {
    const { name, help } = this.options;
    const values = [...this.#series].flatMap((series) => series.values());
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}
