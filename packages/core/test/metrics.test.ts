import { expect, it } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';
import { type Exporter, MeasuredLimits, metrics } from '../src/metrics/index.ts';

/** Collects the series of histograms that were opened, by metric and outcome. */
class RecordingExporter implements Exporter {
  readonly opened: string[] = [];
  isStarted = false;

  start(): void {
    this.isStarted = true;
  }

  stop(): void {
    this.isStarted = false;
  }

  readonly open: Exporter['open'] = ({ name }, attributes) => {
    this.opened.push([name, ...Object.values(attributes)].join(' '));
    return { record: () => {} };
  };
}

it('measures no wait of a request that shadow mode admits', () => {
  const exporter = new RecordingExporter();
  const gate = createGate({ name: 'api', mode: 'shadow', limits: [{ name: 'api', limit: 1 }] });
  const remove = new MeasuredLimits(exporter).add([gate]);
  const permits = [gate.acquire(), gate.acquire()];
  expect(gate.stats().rejected.full).toBe(1);
  expect(exporter.opened).toEqual([`${metrics.held.name} api`]);
  remove();
  expect(exporter.isStarted).toBe(false);
  return Promise.all(permits);
});

it('reports a limiter once that two gates reuse, until both are removed', () => {
  const measured = new MeasuredLimits(new RecordingExporter());
  const pool = createLimiter({ name: 'pool', limit: 5 });
  const gates = ['one', 'other'].map((name) => createGate({ name, limits: [{ limiter: pool }] }));
  const removals = gates.map((gate) => measured.add([gate]));
  const limits = () => {
    const names: string[] = [];
    measured.collect((metric, _value, attributes) => {
      if (metric === metrics.limit) names.push(...Object.values(attributes));
    });
    return names;
  };
  expect(limits()).toEqual(['pool']);
  removals[0]?.();
  removals[0]?.();
  expect(limits()).toEqual(['pool']);
  removals[1]?.();
  expect(limits()).toEqual([]);
});
