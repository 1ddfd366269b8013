// What a scrape costs: milliseconds for 1,000 limits, median of 20. Run: node bench/dist/scrape.js
import { createLimiter } from '@headgate/core';
import { MeasuredLimits } from '@headgate/core/metrics';
import { instrument } from '@headgate/opentelemetry';
import { instrument as instrumentPrometheus } from '@headgate/prometheus';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { Counter, type Metric, Registry } from 'prom-client';
import { median } from './stats.ts';

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

const limiters = Array.from({ length: 1000 }, (_, index) =>
  createLimiter({ name: `limit ${index}`, limit: 10, queueLimit: 10 }),
);
const register = new Registry();
const reader = new Reader();
instrumentPrometheus(limiters, { register });
instrument(limiters, { meter: new MeterProvider({ readers: [reader] }).getMeter('bench') });
for (const limiter of limiters) await limiter.run(() => {});

const alone = new MeasuredLimits({ start() {}, stop() {}, open: () => ({ record() {} }) });
alone.add(limiters);

/** As many lines as the limits have, of a counter of prom-client. */
const lines = (await register.metrics()).split('\n').filter((line) => line.startsWith('headgate'));
const own = new Registry();
const counter = new Counter({
  ...{ name: 'own', help: 'own', labelNames: ['limit', 'line'], registers: [own] },
});
for (const index of lines.keys()) {
  counter.inc({
    limit: `limit ${index % limiters.length}`,
    line: Math.floor(index / limiters.length),
  });
}

/** The same with labels that prom-client has formatted before: what it needs at least. */
const least = new Registry();
const values = lines.map((_, index) => ({
  value: index % 10,
  sharedLabels: { limit: `limit ${index}` },
}));
const metric = { name: 'least', help: 'least', type: 'gauge', values };
least.registerMetric({ ...metric, getForPromString: async () => metric } as unknown as Metric);

/** The text of prom-client is measured apart: it is the same for any values. */
const scrapes: Record<string, () => unknown> = {
  'stats() of each limit': () => limiters.map((limiter) => limiter.stats()),
  'without an exporter': () => alone.collect(() => {}),
  'Prometheus, values': () =>
    Promise.all(
      register
        .getMetricsAsArray()
        .map(
          (metric) =>
            (metric as { getForPromString?(): unknown; get?(): unknown }).getForPromString?.() ??
            (metric as { get?(): unknown }).get?.(),
        ),
    ),
  'Prometheus, values and text': () => register.metrics(),
  [`prom-client, a counter with ${lines.length} series`]: () => own.metrics(),
  [`prom-client, ${lines.length} lines with formatted labels`]: () => least.metrics(),
  OpenTelemetry: () => reader.collect(),
};

for (const [name, scrape] of Object.entries(scrapes)) {
  const times: number[] = [];
  for (let round = -5; round < 20; round++) {
    const started = performance.now();
    await scrape();
    if (round >= 0) times.push(performance.now() - started);
  }
  console.log(`${name}: ${median(times).toFixed(1)} ms`);
}
