import { adaptive, createGate, createLimiter, type Guard, type Limiter } from '@headgate/core';
import { bucketBounds, type Measurable, metrics } from '@headgate/core/metrics';
import { concurrencyLimit } from '@headgate/express';
import { instrument as instrumentPrometheus } from '@headgate/prometheus';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { VirtualClock } from '@headgate/test-suite';
import { collectWarnings } from '@headgate/test-suite/kit';
import { metrics as api, type Meter } from '@opentelemetry/api';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { instrument } from '../src/index.ts';
import { type Exported, metered } from './sdk.ts';

const units: Readonly<Record<string, string>> = { s: '_seconds', 1: '_ratio' };

/** The series of Prometheus that a value of OpenTelemetry becomes, by its specification. */
function series({ name, unit, attributes, value }: Exported): [string, number][] {
  const base = `${name.replaceAll('.', '_')}${units[unit] ?? ''}`;
  const labels = Object.entries(attributes).map(
    ([key, of]) => `${key.replaceAll('.', '_')}="${of}"`,
  );
  const key = (suffix: string, ...of: string[]) => `${base}${suffix}{${[...of, ...labels].join()}}`;
  if (typeof value === 'number') {
    const isTotal = Object.values(metrics).some(
      (one) => one.name === name && one.kind === 'counter',
    );
    return [[key(isTotal ? '_total' : ''), value]];
  }
  let below = 0;
  const buckets = value.buckets.map((count, index): [string, number] => {
    below += count;
    return [key('_bucket', `le="${bucketBounds[index] ?? '+Inf'}"`), below];
  });
  return [...buckets, [key('_count'), value.count], [key('_sum'), value.sum]];
}

async function scrape(register: Registry): Promise<[string, number][]> {
  const lines = (await register.metrics()).split('\n').filter((line) => /^[^#]/.test(line));
  return lines.map((line) => [
    line.slice(0, line.lastIndexOf(' ')),
    Number(line.split(' ').at(-1)),
  ]);
}

/** Uses limits of every kind, in every way. */
async function everything(use: (limits: Measurable[]) => void): Promise<void> {
  const clock = new VirtualClock();
  const queue = { queueLimit: 1, queueTimeout: 50, clock };
  const guard: Guard = {
    name: 'guard',
    admits: (priority) => priority !== 'low',
    stats: () => ({ delay: 30, shedding: 0.5 }),
  };
  const app = createLimiter({
    name: 'app',
    limit: 1,
    maxHold: 500,
    ...queue,
  });
  app.observe({ leaked() {} });
  const search = createLimiter({ name: 'search', limit: adaptive(), clock });
  const store = memoryStore({ clock });
  const account = createLimiter({ name: 'account', limit: 1, store, ...queue });
  const gate = createGate({
    limits: [{ name: 'user', limit: 1, perKey: true }, { limiter: search }],
    guard,
    ...queue,
  });
  const pages = createLimiter({ name: 'pages', limit: 1, ...queue });
  pages.shadow();
  const left = createLimiter({ name: 'left', limit: 1, queueTimeout: 1000, clock });
  use([app, search, account, pages, left, gate, store]);
  const rejected = (request: Promise<unknown>) => expect(request).rejects.toThrow();
  const permit = app.tryAcquire();
  const abort = new AbortController();
  const withdrawn = rejected(app.acquire({ signal: abort.signal }));
  abort.abort();
  await withdrawn;
  const late = rejected(app.acquire());
  await rejected(app.acquire());
  clock.advance(50);
  await late;
  const waiting = app.acquire();
  permit?.release();
  await waiting;
  clock.advance(500);
  await account.run(() => {});
  const shadowed = [pages.tryAcquire(), await pages.acquire(), await pages.acquire()];
  clock.advance(20);
  for (const each of shadowed) each?.release();
  clock.advance(20);
  await rejected(gate.acquire({ priority: 'low' }));
  for (let count = 0; count < 100; count++) {
    const held = await gate.acquire({ keys: { user: 'ann' } });
    clock.advance(10);
    held.release();
  }
  await gate.acquire();
  await leave(left, clock);
}

/** Clients leave before they are answered, while others are queued. */
async function leave(limiter: Limiter, clock: VirtualClock): Promise<void> {
  const held = await limiter.acquire();
  const clients = Array.from({ length: 5 }, () => new AbortController());
  const queued = clients.map(({ signal }) => limiter.acquire({ signal }));
  const others = [limiter.acquire(), limiter.acquire()];
  clock.advance(100);
  held.release();
  for (const [index, client] of clients.entries()) {
    const permit = await queued[index];
    client.abort();
    permit?.release();
  }
  expect(others).toHaveLength(2);
}

describe('the metrics', () => {
  it('are the same series with the same values as in Prometheus, for the same requests', async () => {
    const { meter, exported } = metered();
    const register = new Registry();
    await everything((limits) => {
      instrument(limits, { meter });
      instrumentPrometheus(limits, { register });
    });
    const [own, others] = [(await exported()).flatMap(series), await scrape(register)];
    const byName = (all: [string, number][]) => Object.fromEntries(all.sort());
    expect(byName(own)).toEqual(byName(others));
    // A zero on both sides would prove nothing.
    const nonZero = new Set(
      own.filter(([, value]) => value > 0).map(([name]) => name.split('{')[0]),
    );
    const never = [
      'abandoned_requests',
      'queued_requests',
      'queue_longest_wait',
      'store_round_trip',
      'store_latency',
      'store_impaired',
      'store_errors',
      'lost',
      'reclaimed',
    ];
    const expected = Object.values(metrics).filter(
      ({ name }) => !never.some((one) => name.replaceAll('.', '_').endsWith(one)),
    );
    for (const { name } of expected) {
      const prefix = name.replaceAll('.', '_');
      expect(
        [...nonZero].some((one) => one?.startsWith(prefix)),
        name,
      ).toBe(true);
    }
  });

  it('have the names and units of the definitions', async () => {
    const { meter, exported } = metered();
    await everything((limits) => instrument(limits, { meter }));
    const seen = new Map((await exported()).map(({ name, unit }) => [name, unit]));
    const defined = Object.values(metrics).map(({ name, unit }): [string, string] => [name, unit]);
    expect(new Map([...seen].sort())).toEqual(new Map(defined.sort()));
  });

  it('of a middleware with several limits cover its requests and each limit', async () => {
    const { meter, exported } = metered();
    const limits = [
      { name: 'user', limit: 2, key: () => 'ann' },
      { name: '7', limit: 100 },
    ];
    instrument(concurrencyLimit({ limits, queueLimit: 9 }), { meter });
    const values = (await exported()).filter(({ attributes }) => !attributes['headgate.outcome']);
    const names = (metric: string) =>
      values
        .filter(({ name }) => name === metric)
        .map(({ attributes, value }) => {
          return [attributes['headgate.limit.name'], value];
        });
    expect(names('headgate.active_requests')).toEqual([['user+7', 0]]);
    expect(Object.fromEntries(names('headgate.limit'))).toEqual({ user: 2, 7: 100 });
  });

  it('are removed with their limit, and the callback with the last limit', async () => {
    const { meter, exported } = metered();
    let callbacks = 0;
    const add = meter.addBatchObservableCallback.bind(meter);
    const remove = meter.removeBatchObservableCallback.bind(meter);
    meter.addBatchObservableCallback = (...of) => {
      callbacks++;
      add(...of);
    };
    meter.removeBatchObservableCallback = (...of) => {
      callbacks--;
      remove(...of);
    };
    const [one, other] = [
      createLimiter({ name: 'one', limit: 1 }),
      createLimiter({ name: 'other', limit: 1 }),
    ];
    const removeOne = instrument(one, { meter });
    const removeOther = instrument(other, { meter });
    expect(callbacks).toBe(1);
    removeOne();
    const left = new Set(
      (await exported()).map(({ attributes }) => attributes['headgate.limit.name']),
    );
    expect([...left]).toEqual(['other']);
    removeOther();
    removeOther();
    expect(callbacks).toBe(0);
    const permit = one.tryAcquire();
    permit?.release();
    expect(permit).not.toHaveProperty('identity');
    instrument(one, { meter });
    await one.close();
    expect((await exported()).length).toBeGreaterThan(0);
    expect(callbacks).toBe(0);
  });

  it('use the global meter provider by default', async () => {
    const { meter, exported } = metered();
    api.setGlobalMeterProvider({ getMeter: () => meter });
    const remove = instrument(createLimiter({ name: 'app', limit: 1 }));
    expect((await exported()).length).toBeGreaterThan(0);
    remove();
    api.disable();
  });
});

it('a limit algorithm whose baseline throws ends neither the process nor the collection: both exporters have the other series', async () => {
  const warnings = collectWarnings('HEADGATE_STATS');
  const algorithm = { limit: 1, sample() {} };
  Object.defineProperty(algorithm, 'baseline', { get: () => JSON.parse('own') });
  const limiter = createLimiter({ name: 'own', limit: { create: () => algorithm } });
  const { meter, exported } = metered();
  const stop = instrument(limiter, { meter });
  const register = new Registry();
  instrumentPrometheus(limiter, { register });
  await limiter.run(() => {});
  expect(await exported()).toContainEqual(
    expect.objectContaining({ name: metrics.limit.name, value: 1 }),
  );
  expect(await scrape(register)).toContainEqual(['headgate_limit{headgate_limit_name="own"}', 1]);
  expect(warnings).toEqual([expect.stringContaining('a limit algorithm cannot be read')]);
  stop();
});

describe('a mistake throws', () => {
  const limiter = createLimiter({ name: 'app', limit: 1 });
  const call = (limits: unknown, options?: object) => () =>
    instrument(limits as Measurable, options);

  it('a value that is not a limit', () => {
    const { meter } = metered();
    const error = expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option: 'limit' });
    const withoutLimiters = { stats: () => ({}), observe: () => () => {} };
    for (const value of [undefined, 5, {}, withoutLimiters, () => {}]) {
      expect(call(value, { meter })).toThrow(error);
      expect(call([limiter, value], { meter })).toThrow(error);
    }
    instrument(limiter, { meter })();
  });

  it.each(['meter', 'tracer'])('a %s of the wrong type', (option) => {
    const error = expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option });
    for (const value of [5, {}, 'app']) expect(call(limiter, { [option]: value })).toThrow(error);
    expect(call(limiter, { metre: 1 })).toThrow('did you mean "meter"?');
  });

  it('a meter instead of the options', () => {
    const { meter } = metered();
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'meter' };
    expect(call(limiter, meter)).toThrow(expect.objectContaining(error));
    expect(call(limiter, meter)).toThrow('an option, as in instrument(limits, { meter })');
    expect(call(limiter, null as never)).toThrow('the options of instrument must be an object');
  });

  it('two default limits without names', async () => {
    const { meter, exported } = metered();
    const all = [concurrencyLimit(), concurrencyLimit()];
    expect(call(all, { meter })).toThrow('give the limits different names');
    instrument([concurrencyLimit({ name: 'web' }), concurrencyLimit({ name: 'api' })], { meter });
    const limits = (await exported()).filter(({ name }) => name === 'headgate.limit');
    expect(
      limits.map(({ attributes, value }) => [attributes['headgate.limit.name'], value]),
    ).toEqual([
      ...[
        ['web', 8],
        ['api', 8],
      ],
    ]);
  });

  it('a limit twice, and two limits of the same name, with the same meter', () => {
    const { meter }: { meter: Meter } = metered();
    const error = expect.objectContaining({ code: 'ERR_HEADGATE_DUPLICATE_NAME', option: 'limit' });
    const remove = instrument(limiter, { meter });
    expect(call(limiter, { meter })).toThrow(error);
    expect(call(createLimiter({ name: 'app', limit: 2 }), { meter })).toThrow(error);
    instrument(limiter, { meter: metered().meter })();
    remove();
    instrument(limiter, { meter })();
  });
});
