import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it, vi } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';
import { type Exporter, MeasuredLimits, metrics } from '../src/metrics/index.ts';
import type { MeasurableStore } from '../src/metrics/measured-stores.ts';

/** Records which histogram series were opened: the metric and the outcome of each. */
class RecordingExporter implements Exporter {
  readonly opened: string[] = [];
  readonly recorded: number[] = [];
  isStarted = false;

  start(): void {
    this.isStarted = true;
  }

  stop(): void {
    this.isStarted = false;
  }

  readonly open: Exporter['open'] = ({ name }, attributes) => {
    this.opened.push([name, ...Object.values(attributes)].join(' '));
    return { record: (seconds) => void this.recorded.push(seconds) };
  };
}

it('the wait of a request that shadow mode admits is not measured', () => {
  const exporter = new RecordingExporter();
  const gate = createGate({
    name: 'api',
    mode: 'shadow',
    queueLimit: 0,
    limits: [{ name: 'api', limit: 1 }],
  });
  const remove = new MeasuredLimits(exporter).add([gate]);
  const permits = [gate.acquire(), gate.acquire()];
  expect(gate.stats().wouldReject.full).toBe(1);
  expect(exporter.opened).toEqual([`${metrics.held.name} api`]);
  remove();
  expect(exporter.isStarted).toBe(false);
  return Promise.all(permits);
});

it('the hold time of a permit granted before the limit was added is not measured', () => {
  const exporter = new RecordingExporter();
  const clock = new VirtualClock();
  const limiter = createLimiter({ name: 'api', limit: 2, clock });
  const early = limiter.tryAcquire();
  new MeasuredLimits(exporter).add([limiter]);
  const late = limiter.tryAcquire();
  clock.advance(500);
  early?.release();
  late?.release();
  expect(exporter.recorded).toEqual([0.5]);
});

it('a limiter that two gates reuse is reported once, until both gates are removed', () => {
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

/** The names of the limits and stores that a collection reports. */
function collected(measured: MeasuredLimits): string[] {
  const names: string[] = [];
  measured.collect((metric, _value, attributes) => {
    if (metric === metrics.held || metric === metrics.active || metric === metrics.storeCalls)
      names.push(...Object.values(attributes));
  });
  return names;
}

const activity: MeasurableStore['activity'] = () => ({
  ...{ up: true, muted: false, slowed: false },
  ...{ calls: 1, errors: 0, reclaimed: 0, lost: 0, roundTrip: undefined },
});

describe('after a limit or store is closed', () => {
  it('its last counts are collected, even if another one is added first', async () => {
    const measured = new MeasuredLimits(new RecordingExporter());
    const limiter = createLimiter({ name: 'old', limit: 1 });
    const store = { name: 'old store', closed: false, activity };
    measured.add([limiter, store]);
    const permit = await limiter.acquire();
    const closed = limiter.close();
    expect(collected(measured)).toEqual(['old store', 'old']);
    permit.release();
    await closed;
    store.closed = true;
    measured.add([
      createLimiter({ name: 'new', limit: 1 }),
      { name: 'new store', closed: false, activity },
    ]);
    expect(collected(measured)).toEqual(['old store', 'new store', 'old', 'new']);
    await Promise.resolve();
    expect(collected(measured)).toEqual(['new store', 'new']);
  });

  it('its name can be reused at once', async () => {
    const measured = new MeasuredLimits(new RecordingExporter());
    const limiter = createLimiter({ name: 'pool', limit: 1 });
    measured.add([limiter, { name: 'store', closed: true, activity }]);
    const gate = () => createGate({ name: 'api', limits: [{ name: 'pool', limit: 1 }] });
    expect(() => measured.add([gate()])).toThrow('give the limits different names');
    await limiter.close();
    const first = gate();
    measured.add([first, { name: 'store', closed: false, activity }]);
    expect(collected(measured)).toEqual(['store', 'api']);
    await first.close();
    measured.add([gate()]);
    expect(collected(measured)).toEqual(['store', 'api']);
  });

  it('its removal does not affect a new one of the same name', async () => {
    const exporter = new RecordingExporter();
    const measured = new MeasuredLimits(exporter);
    const limiter = createLimiter({ name: 'pool', limit: 1 });
    const detach = vi.fn();
    const store = { name: 'store', closed: true, activity };
    const remove = measured.add([limiter, store], () => detach);
    await limiter.close();
    collected(measured);
    await Promise.resolve();
    expect(exporter.isStarted).toBe(false);
    const successor = createLimiter({ name: 'pool', limit: 1 });
    measured.add([successor, { name: 'store', closed: false, activity }]);
    remove();
    expect(collected(measured)).toEqual(['store', 'pool']);
    expect(exporter.isStarted).toBe(true);
    expect(detach).toHaveBeenCalledOnce();
  });

  it('only the latest 100 closed ones are kept if none is collected', async () => {
    const measured = new MeasuredLimits(new RecordingExporter());
    for (let count = 0; count < 110; count++) {
      const limiter = createLimiter({ name: `limit ${count}`, limit: 1 });
      measured.add([limiter, { name: `store ${count}`, closed: true, activity }]);
      await limiter.close();
    }
    measured.add([
      createLimiter({ name: 'last', limit: 1 }),
      { name: 'last store', closed: true, activity },
    ]);
    const names = collected(measured);
    expect(names).toHaveLength(202);
    expect(names.slice(0, 1)).toEqual(['store 10']);
    expect(names.slice(101, 102)).toEqual(['limit 10']);
  });
});
