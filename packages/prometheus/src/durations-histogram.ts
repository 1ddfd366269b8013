import { bucketBounds } from '@headgate/core/metrics';
import { Histogram } from 'prom-client';

type Labels = Record<string, string>;

/**
 * A value of a series. prom-client formats `sharedLabels` once, and keeps the text for as long as the object exists.
 */
interface Value {
  readonly metricName: string;
  readonly sharedLabels: Labels;
  readonly value: number;
}

const buckets = [...bucketBounds, '+Inf'].map((le) => `${le}`);

/** One series. It counts the values itself, since prom-client would hash the labels for each value. */
class Series {
  /** The count of each bucket. The last one counts the values above all bounds. */
  readonly #counts = new Array<number>(buckets.length).fill(0);
  #sum = 0;
  /** The labels of each bucket. Created when the series is first exported. */
  #bucketLabels: readonly Labels[] = [];

  constructor(private readonly labels: Labels) {}

  record(seconds: number): void {
    let bucket = 0;
    while (bucket < bucketBounds.length && seconds > (bucketBounds[bucket] as number)) bucket++;
    (this.#counts[bucket] as number)++;
    this.#sum += seconds;
  }

  /**
   * Adds its values in the form in which prom-client reports a histogram. Adds none before the first record, as
   * OpenTelemetry does.
   */
  export({ bucket, sum, count }: ValueNames, values: Value[]): void {
    let total = 0;
    for (const recorded of this.#counts) total += recorded;
    if (total === 0) return;
    if (this.#bucketLabels.length === 0) {
      this.#bucketLabels = buckets.map((le) => ({ le, ...this.labels }));
    }
    const sharedLabels = this.labels;
    let below = 0;
    for (const [index, recorded] of this.#counts.entries()) {
      below += recorded;
      const labels = this.#bucketLabels[index] as Labels;
      values.push({ metricName: bucket, sharedLabels: labels, value: below });
    }
    values.push({ metricName: sum, sharedLabels, value: this.#sum });
    values.push({ metricName: count, sharedLabels, value: total });
  }
}

interface ValueNames {
  readonly bucket: string;
  readonly sum: string;
  readonly count: string;
}

interface Options {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

/** A histogram that costs each recorded request as little time as possible. */
export class DurationsHistogram extends Histogram {
  readonly #series = new Set<Series>();

  constructor(
    private readonly options: Options,
    registers: ConstructorParameters<typeof Histogram>[0]['registers'],
  ) {
    super({ ...options, buckets: [...bucketBounds], ...(registers && { registers }) });
  }

  open(labels: Labels): { record(seconds: number): void; remove(): void } {
    const series = new Series(labels);
    this.#series.add(series);
    return {
      record: (seconds) => series.record(seconds),
      remove: () => void this.#series.delete(series),
    };
  }

  override async get(): ReturnType<Histogram['get']> {
    const metric = await this.getForPromString();
    const values = metric.values.map(({ sharedLabels: labels, ...value }) => ({
      ...value,
      labels,
    }));
    return { ...metric, values } as never;
  }

  /** Called by the registry for the text of a scrape. Missing in the types of prom-client. */
  async getForPromString() {
    const { name, help } = this.options;
    const names = { bucket: `${name}_bucket`, sum: `${name}_sum`, count: `${name}_count` };
    const values: Value[] = [];
    for (const series of this.#series) series.export(names, values);
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}
