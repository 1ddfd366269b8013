import { createGate, createLimiter, type Guard } from '@headgate/core';
import { metrics } from '@headgate/core/metrics';
import { VirtualClock } from '@headgate/test-suite';
import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { collectMetrics } from '../src/index.ts';
import { prometheusName } from '../src/names.ts';

const app = (limit = 1) => createLimiter({ name: 'app', limit });
const names = (register: Registry) => register.getMetricsAsArray().map(({ name }) => name);
const allNames = Object.values(metrics).map(prometheusName);

async function limitOf(register: Registry, name = 'app'): Promise<number | undefined> {
  const text = await register.metrics();
  const value = text.match(`headgate_limit{headgate_limit_name="${name}"} (.+)`)?.[1];
  return value === undefined ? undefined : Number(value);
}

describe('register.clear()', () => {
  it('removes the limits, so that others of the same names can be added', async () => {
    const register = new Registry();
    const [one, two] = [app(1), app(2)];
    collectMetrics(one, { register });
    register.clear();
    collectMetrics(two, { register });
    expect(await limitOf(register)).toBe(2);
    expect(names(register).sort()).toEqual([...allNames].sort());
    const permit = one.tryAcquire();
    permit?.release();
    expect(permit).not.toHaveProperty('identity');
  });

  it('does not let the function of an earlier call remove what was registered later', async () => {
    const register = new Registry();
    const remove = collectMetrics(app(1), { register });
    register.clear();
    const own = new Gauge({ name: 'headgate_limit', help: 'own', registers: [register] });
    remove();
    expect(register.getMetricsAsArray()).toEqual([own]);
    register.clear();
    collectMetrics(app(2), { register });
    remove();
    expect(await limitOf(register)).toBe(2);
  });

  it('differs from removing a single metric, which only leaves that one out', async () => {
    const register = new Registry();
    collectMetrics(app(3), { register });
    register.removeSingleMetric('headgate_inflight');
    collectMetrics(createLimiter({ name: 'other', limit: 4 }), { register });
    expect([await limitOf(register), await limitOf(register, 'other')]).toEqual([3, 4]);
    expect(names(register)).not.toContain('headgate_inflight');
  });
});

it('a metric of the app with the same name is an error each time, and nothing is registered', async () => {
  const register = new Registry();
  const own = new Gauge({ name: 'headgate_limit', help: 'own', registers: [register] });
  const limiter = app();
  const add = () => collectMetrics(limiter, { register });
  const error = { code: 'ERR_HEADGATE_DUPLICATE_NAME', option: 'register' };
  for (let count = 0; count < 2; count++) {
    expect(add).toThrow(expect.objectContaining(error));
    expect(add).toThrow('headgate_limit');
    expect(register.getMetricsAsArray()).toEqual([own]);
  }
  register.clear();
  add();
  expect(await limitOf(register)).toBe(1);
});

it("prom-client's cluster mode adds up what has a meaning then, and shows the worst of the rest", async () => {
  const registers = [10, 30].map((time) => {
    const clock = new VirtualClock();
    const shedding = time / 100;
    const guard: Guard = { name: 'guard', admits: () => true, stats: () => ({ shedding }) };
    const gate = createGate({ limits: [{ name: 'app', limit: 2 }], guard, queueLimit: 1, clock });
    const register = new Registry();
    collectMetrics(gate, { register });
    void gate.acquire();
    void gate.acquire();
    void gate.acquire();
    clock.advance(time);
    return register;
  });
  const values = await Promise.all(registers.map((register) => register.getMetricsAsJSON()));
  const text = await AggregatorRegistry.aggregate(JSON.parse(JSON.stringify(values))).metrics();
  const value = (name: string) => Number(text.match(`${name}{[^}]*} (.+)`)?.[1]);
  expect(value('headgate_requests_total')).toBe(4);
  expect(value('headgate_limit')).toBe(4);
  expect(value('headgate_queue_longest_wait_seconds')).toBe(0.03);
  expect(value('headgate_guard_shedding_ratio')).toBe(0.3);
});

it('in cluster mode a store counts as unavailable if one process cannot reach it', async () => {
  const register = new Registry();
  collectMetrics(app(), { register });
  const all = await register.getMetricsAsJSON();
  const aggregators = Object.fromEntries(
    all.map(({ name, aggregator }) => [name, aggregator as string]),
  );
  expect(aggregators).toMatchObject({
    headgate_store_up: 'min',
    headgate_store_round_trip_seconds: 'max',
    headgate_permit_duration_seconds: 'sum',
    headgate_permits_lost_total: 'sum',
  });
});

it('a limiter and a gate that reuses it have one name, so the limiter is to be added alone', () => {
  const limiter = app();
  const gate = createGate({ name: 'app', limits: [{ limiter }] });
  const remedy = 'add the limiter that both use, instead of them';
  expect(() => collectMetrics([limiter, gate], { register: new Registry() })).toThrow(remedy);
  expect(() => collectMetrics([gate, limiter], { register: new Registry() })).toThrow(remedy);
});
