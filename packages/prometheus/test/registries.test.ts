import { createGate, createLimiter, type Guard } from '@headgate/core';
import { metrics } from '@headgate/core/metrics';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { VirtualClock } from '@headgate/test-suite';
import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { instrument } from '../src/index.ts';
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
    instrument(one, { register });
    register.clear();
    instrument(two, { register });
    expect(await limitOf(register)).toBe(2);
    expect(names(register).sort()).toEqual([...allNames].sort());
    const permit = one.tryAcquire();
    permit?.release();
    expect(permit).not.toHaveProperty('identity');
  });

  it('does not let the function of an earlier call remove what was registered later', async () => {
    const register = new Registry();
    const remove = instrument(app(1), { register });
    register.clear();
    const own = new Gauge({ name: 'headgate_limit', help: 'own', registers: [register] });
    remove();
    expect(register.getMetricsAsArray()).toEqual([own]);
    register.clear();
    instrument(app(2), { register });
    remove();
    expect(await limitOf(register)).toBe(2);
  });

  it('differs from removing a single metric, which omits only that one', async () => {
    const register = new Registry();
    instrument(app(3), { register });
    register.removeSingleMetric('headgate_inflight');
    instrument(createLimiter({ name: 'other', limit: 4 }), { register });
    expect([await limitOf(register), await limitOf(register, 'other')]).toEqual([3, 4]);
    expect(names(register)).not.toContain('headgate_inflight');
  });
});

it('a metric of the app with the same name is an error each time, and nothing is registered', async () => {
  const register = new Registry();
  const own = new Gauge({ name: 'headgate_limit', help: 'own', registers: [register] });
  const limiter = app();
  const add = () => instrument(limiter, { register });
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

it("prom-client's cluster mode adds up the metrics that can be added, and shows the worst value of others", async () => {
  const registers = [10, 30].map((time) => {
    const clock = new VirtualClock();
    const shedding = time / 100;
    const guard: Guard = { name: 'guard', admits: () => true, stats: () => ({ shedding }) };
    const gate = createGate({ limits: [{ name: 'app', limit: 2 }], guard, queueLimit: 1, clock });
    const register = new Registry();
    instrument(gate, { register });
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

/** The sorted lines of a scrape without comments. */
async function linesOf(register: Registry): Promise<string[]> {
  const lines = (await register.metrics()).split('\n');
  return lines.filter((line) => /^[^#]/.test(line)).sort();
}

describe('the text of a scrape', () => {
  /** One request has waited for 20 ms, and one is queued. */
  function used(name: string, register: Registry): void {
    const clock = new VirtualClock();
    const limiter = createLimiter({ name, limit: 1, queueLimit: 1, clock });
    instrument(limiter, { register });
    const permit = limiter.tryAcquire();
    void limiter.acquire();
    clock.advance(20);
    permit?.release();
    void limiter.acquire();
  }

  it("has the registry's default labels, even if set later, unless the limit has a label of the same name", async () => {
    const register = new Registry();
    used('app', register);
    const plain = await linesOf(register);
    register.setDefaultLabels({ region: 'eu', headgate_limit_name: 'default' });
    const labelled = await linesOf(register);
    expect(labelled).toHaveLength(plain.length);
    for (const line of labelled) {
      expect(line.match(/region="eu"/g)).toHaveLength(1);
      expect(line.match(/headgate_limit_name="app"/g)).toHaveLength(1);
      expect(line).not.toContain('"default"');
    }
    const json = (await register.getMetricsAsJSON()).flatMap(({ values = [] }) => values);
    expect(json).toHaveLength(plain.length);
    for (const { labels } of json as { labels: object }[]) {
      expect(labels).toMatchObject({ region: 'eu', headgate_limit_name: 'app' });
    }
    register.setDefaultLabels({});
    expect(await linesOf(register)).toEqual(plain);
  });

  it('is the same in the format OpenMetrics, which names counters once', async () => {
    const [register, open] = [new Registry(), new Registry()];
    open.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
    used('app', register);
    used('app', open);
    expect(await linesOf(open)).toEqual(await linesOf(register));
    expect(await linesOf(open)).toEqual(await linesOf(register));
    const text = await open.metrics();
    expect(text).toContain('# TYPE headgate_requests counter\nheadgate_requests_total{');
    expect(text.endsWith('# EOF\n')).toBe(true);
  });

  it('escapes the name of a limit', async () => {
    const register = new Registry();
    used('a "b"\\c\nd', register);
    const lines = await linesOf(register);
    expect(lines).toContain('headgate_limit{headgate_limit_name="a \\"b\\"\\\\c\\nd"} 1');
    const bucket = 'headgate_permit_duration_seconds_bucket{le="0.025",';
    expect(lines).toContain(`${bucket}headgate_limit_name="a \\"b\\"\\\\c\\nd"} 1`);
  });

  it('has the series of a histogram from its first value on', async () => {
    const register = new Registry();
    const limiter = app();
    instrument(limiter, { register });
    const durations = async () =>
      (await linesOf(register)).filter((line) => line.includes('permit_duration'));
    expect(await durations()).toEqual([]);
    limiter.tryAcquire()?.release();
    expect(await durations()).toHaveLength(19);
  });

  it('is not changed by resetMetrics(), in either format', async () => {
    for (const type of [Registry.PROMETHEUS_CONTENT_TYPE, Registry.OPENMETRICS_CONTENT_TYPE]) {
      const register = new Registry();
      register.setContentType(type as never);
      used('app', register);
      instrument(memoryStore(), { register });
      const before = await register.metrics();
      register.resetMetrics();
      expect(await register.metrics()).toBe(before);
      expect(before).toMatch(/^headgate_requests_total{.*"admitted"} 2$/m);
    }
  });

  it('is the sum of merged registries', async () => {
    const [one, other] = [new Registry(), new Registry()];
    used('app', one);
    new Gauge({ name: 'own', help: 'own', registers: [other] }).set(1);
    const merged = Registry.merge([one, other]);
    expect(await linesOf(merged)).toEqual([...(await linesOf(one)), 'own 1']);
  });
});

it('in cluster mode a store counts as unavailable if one process cannot reach it', async () => {
  const register = new Registry();
  instrument(app(), { register });
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
  expect(() => instrument([limiter, gate], { register: new Registry() })).toThrow(remedy);
  expect(() => instrument([gate, limiter], { register: new Registry() })).toThrow(remedy);
});
