import { collectWarnings } from '@headgate/test-suite/kit';
import { expect, it } from 'vitest';
import { createGate, createLimiter, type Limiter } from '../src/index.ts';
import { MeasuredLimits, metrics } from '../src/metrics/index.ts';
import type { MeasurableStore } from '../src/metrics/measured-stores.ts';

const exporter = { start() {}, stop() {}, open: () => ({ record() {} }) };

/** The series of one collection: a metric and its attributes. */
function series(measured: MeasuredLimits): string[] {
  const all: string[] = [];
  measured.collect(({ name }, _value, attributes) => {
    all.push([name, ...Object.values(attributes)].join(' '));
  });
  return all;
}

/** A limiter of which the application has replaced a method, which throws as soon as there is an error. */
function breakable(name: string) {
  const limiter = createLimiter({ name, limit: 5 });
  const stats = limiter.stats.bind(limiter);
  const state: { error?: unknown; limiter: Limiter } = { limiter };
  limiter.stats = () => {
    if (state.error !== undefined) throw state.error;
    return stats();
  };
  return state;
}

const activity = {
  ...{ up: true, muted: false, slowed: false, roundTrip: undefined },
  ...{ calls: 1, errors: 0, reclaimed: 0, lost: 0 },
};

it.each([
  ['throws', () => JSON.parse('no activity'), 'SyntaxError'],
  ['returns nothing', () => undefined, 'TypeError'],
  ['has a total that is no number', () => ({ ...activity, calls: '1' }), 'headgate.store.calls'],
])('a store whose activity() %s leaves all other series as they are', (_name, fail, text) => {
  const warnings = collectWarnings('HEADGATE_STATS');
  const measured = new MeasuredLimits(exporter);
  let isFailing = false;
  const store = { name: 'own', closed: false, activity: () => (isFailing ? fail() : activity) };
  const other = { name: 'other', closed: false, activity: () => activity };
  const limiter = createLimiter({ name: 'api', limit: 1 });
  measured.add([store as MeasurableStore, other as MeasurableStore, limiter]);
  const whole = series(measured);
  isFailing = true;
  for (let scrape = 0; scrape < 3; scrape++) {
    const left = series(measured);
    expect(left.filter((each) => !each.includes(' own'))).toEqual(
      whole.filter((each) => !each.includes(' own')),
    );
    expect(left).not.toContain(`${metrics.storeCalls.name} own`);
  }
  expect(warnings).toEqual([
    expect.stringMatching(/^the statistics of store "own" cannot be read/),
  ]);
  expect(warnings[0]).toContain(text);
  isFailing = false;
  expect(series(measured)).toEqual(whole);
});

it('a limiter whose statistics throw affects no other series, and warns once per failure', () => {
  const warnings = collectWarnings('HEADGATE_STATS');
  const measured = new MeasuredLimits(exporter);
  const own = breakable('own');
  measured.add([createLimiter({ name: 'a', limit: 1 }), own.limiter]);
  measured.add([createLimiter({ name: 'b', limit: 1 })]);
  const whole = series(measured);
  for (const error of [new Error('no statistics'), Symbol('no statistics')]) {
    own.error = error;
    for (let scrape = 0; scrape < 2; scrape++) {
      expect(series(measured)).toEqual(whole.filter((each) => !each.includes(' own')));
    }
    own.error = undefined;
    expect(series(measured)).toEqual(whole);
  }
  expect(warnings).toEqual([
    expect.stringContaining('limit "own" cannot be read: Error: no statistics'),
    expect.stringContaining('limit "own" cannot be read: Symbol(no statistics)'),
  ]);
});

it('a gate with one failing limiter still exports the series of the others', () => {
  const warnings = collectWarnings('HEADGATE_STATS');
  const measured = new MeasuredLimits(exporter);
  const own = breakable('own');
  const pool = createLimiter({ name: 'pool', limit: 3 });
  measured.add([
    createGate({ name: 'api', limits: [{ limiter: own.limiter }, { limiter: pool }] }),
  ]);
  const whole = series(measured);
  own.error = new Error('no statistics');
  for (let scrape = 0; scrape < 2; scrape++) {
    expect(series(measured)).toEqual(whole.filter((each) => each.includes(' pool')));
  }
  expect(warnings.map((each) => each.split(' cannot')[0])).toEqual([
    'the statistics of limit "api"',
    'the statistics of limiter "own"',
  ]);
});

it('a limit algorithm whose statistics throw still works, and warns once per failure', () => {
  const warnings = collectWarnings('HEADGATE_STATS');
  let error: Error | undefined;
  const fail = () => {
    if (error !== undefined) throw error;
  };
  const algorithm = { limit: 7, sample() {}, baseline: 5 };
  Object.defineProperty(algorithm, 'baseline', { get: () => fail() ?? 5 });
  const adaptive = createLimiter({ name: 'adaptive', limit: { create: () => algorithm } });
  expect(adaptive.stats().baseline).toBe(5);
  for (const message of ['once', 'again']) {
    error = new Error(message);
    for (let scrape = 0; scrape < 2; scrape++) {
      expect(adaptive.stats()).toMatchObject({ limit: 7, baseline: undefined });
    }
    error = undefined;
    expect(adaptive.stats().baseline).toBe(5);
  }
  const texts = ['once', 'again'].map(
    (message) => `the statistics of a limit algorithm cannot be read: Error: ${message}`,
  );
  expect(warnings).toEqual(texts.map((text) => expect.stringContaining(text)));
});
