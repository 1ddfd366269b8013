import { type Attributes, context, type Meter } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  DataPointType,
  type Histogram,
  MeterProvider,
  MetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach } from 'vitest';

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

/** A value of a series, as the SDK exports it. */
export interface Exported {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Attributes;
  /** The number of values, their sum, and the number of each bucket, for a histogram. */
  readonly value:
    | number
    | { readonly count: number; readonly sum: number; readonly buckets: number[] };
}

/** A meter of the real SDK, and what it exports. */
export function metered() {
  const reader = new Reader();
  const provider = new MeterProvider({ readers: [reader] });
  const meter: Meter = provider.getMeter('test');
  const exported = async (): Promise<Exported[]> => {
    const { resourceMetrics, errors } = await reader.collect();
    if (errors.length > 0) throw errors[0];
    return resourceMetrics.scopeMetrics.flatMap((scope) =>
      scope.metrics.flatMap(({ descriptor: { name, unit }, dataPointType, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => {
          if (dataPointType !== DataPointType.HISTOGRAM)
            return { name, unit, attributes, value: value as number };
          const { count, sum = 0, buckets } = value as Histogram;
          return { name, unit, attributes, value: { count, sum, buckets: buckets.counts } };
        }),
      ),
    );
  };
  return { meter, provider, exported };
}

/** A tracer of the real SDK, whose context follows async calls during each test. */
export function traced() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  beforeEach(() => {
    exporter.reset();
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });
  afterEach(() => context.disable());
  return { tracer: provider.getTracer('test'), provider, exporter };
}
