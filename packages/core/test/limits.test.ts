import { describe, expect, it } from 'vitest';
import { adaptive, aimd, createLimiter, gradient, type LimitFactory, vegas } from '../src/index.ts';
import { feed, times } from './feed.ts';

const half = () => 0.5;

describe('aimd', () => {
  it('grows by one per round trip while it is used', () => {
    const limit = aimd({ initial: 10 }).create(half);
    expect(feed(limit, times(10))).toBeCloseTo(11, 0);
    expect(feed(limit, times(50, { inflight: 5 }))).toBeCloseTo(11, 0);
  });

  it('falls on a drop, once for all work admitted before', () => {
    const limit = aimd({ initial: 100 }).create(half);
    const drop = (now: number) => ({ outcome: 'dropped' as const, now, rtt: 100 });
    expect(feed(limit, [drop(1000), drop(1050), drop(1099)])).toBe(90);
    expect(feed(limit, [drop(1100)])).toBe(81);
  });

  it('stays within its bounds', () => {
    const limit = aimd({ min: 8, max: 11, initial: 10, backoff: 0.5 }).create(half);
    expect(feed(limit, times(100))).toBe(11);
    expect(feed(limit, [{ outcome: 'dropped', now: 500 }])).toBe(8);
  });
});

describe('vegas', () => {
  it('grows while no requests queue, and falls when too many do', () => {
    const limit = vegas({ initial: 20 }).create(half);
    expect(feed(limit, times(3))).toBeGreaterThan(20);
    const grown = limit.limit;
    expect(feed(limit, times(3, { rtt: 400 }))).toBe(grown - 3);
    expect(feed(limit, [{ outcome: 'dropped' }])).toBe(grown - 4);
  });

  it('grows slightly when a few requests queue, and stays when some do', () => {
    const limit = vegas({ initial: 10 }).create(half);
    feed(limit, [{ rtt: 80 }]);
    expect(feed(limit, [{ rtt: 100 }])).toBe(11);
    expect(feed(limit, [{ rtt: 120 }])).toBe(11);
  });

  it('does not grow while less than half of it is used', () => {
    const limit = vegas({ initial: 20 }).create(half);
    expect(feed(limit, times(50, { inflight: 4 }))).toBe(20);
  });

  it('tolerates work that takes no time', () => {
    const limit = vegas({ initial: 20 }).create(half);
    expect(feed(limit, times(10, { rtt: 0 }))).toBe(20);
  });

  it('measures the shortest round trip again periodically', () => {
    const limit = vegas({ initial: 20, max: 20 }).create(half);
    feed(limit, times(1));
    expect(feed(limit, times(50, { rtt: 400 }))).toBeLessThan(20);
    // By then 400 ms is the shortest round trip.
    expect(feed(limit, times(3000, { rtt: 400 }))).toBe(20);
  });
});

describe('gradient', () => {
  it('grows while the clock does not advance, and takes its baseline from the first time that passes', () => {
    const limit = gradient({ min: 3, initial: 20, max: 40 }).create(half);
    const sample = (rtt: number) =>
      limit.sample({ rtt, inflight: 99, weight: 1, outcome: 'ok', now: 0, kind: undefined });
    for (let count = 0; count < 500; count++) sample(0);
    expect([limit.limit > 3, limit.baseline]).toEqual([true, undefined]);
    for (let count = 0; count < 50; count++) sample(2);
    expect([limit.limit, limit.baseline]).toEqual([20, 2]);
    for (let count = 0; count < 50; count++) sample(2);
    expect(limit.limit).toBeGreaterThan(20);
  });

  it('measures the shortest round trip at its lower bound, and again after five windows there', () => {
    const limit = gradient({ min: 3, initial: 20 }).create(half);
    expect(feed(limit, times(49))).toBe(3);
    expect(feed(limit, times(1))).toBe(20);
    expect(feed(limit, times(50 * 30, { rtt: 1000 }))).toBeGreaterThan(3);
  });

  it('grows while the round trip is the shortest, and ignores drops', () => {
    const limit = gradient({ initial: 20, max: 40 }).create(half);
    feed(limit, times(50));
    expect(feed(limit, times(500))).toBe(40);
    expect(feed(limit, times(500, { outcome: 'dropped' }))).toBe(40);
  });

  it('tolerates work that takes no time', () => {
    const limit = gradient({ initial: 20, max: 40 }).create(half);
    expect(feed(limit, times(500, { rtt: 0 }))).toBe(40);
  });
});

it.each<[string, (options?: object) => LimitFactory]>([
  ['adaptive', adaptive],
  ['aimd', aimd],
  ['vegas', vegas],
  ['gradient', gradient],
])('%s throws for invalid options', (_, make) => {
  const wrong: [object, string][] = [
    [{ min: 0 }, 'min'],
    [{ min: 1.5 }, 'min'],
    [{ max: Number.NaN }, 'max'],
    [{ min: 10, max: 5 }, 'max'],
    [{ min: 10, max: 20, initial: 5 }, 'initial'],
    [{ max: 20, initial: 25 }, 'initial'],
    [{ mxa: 5 }, 'mxa'],
  ];
  for (const [options, option] of wrong) {
    const code = expect.stringMatching(/^ERR_HEADGATE_(UNKNOWN_)?OPTION$/);
    expect(() => make(options)).toThrow(expect.objectContaining({ code, option }));
  }
  expect(make({ min: 2000 }).create(half).limit).toBe(2000);
});

it.each([
  [() => aimd({ backoff: 1 }), 'backoff'],
  [() => gradient({ buffer: 0 }), 'buffer'],
  [() => createLimiter({ limit: adaptive(), perKey: true }), 'limit'],
  [() => createLimiter({ limit: adaptive as never }), 'limit'],
  [() => createLimiter({ limit: adaptive() }).setLimit(5), 'limit'],
])('throws for %s', (make, option) => {
  const code = 'ERR_HEADGATE_OPTION';
  expect(make).toThrow(expect.objectContaining({ code, option }));
});

it('each limiter has its own limit', () => {
  const factory = aimd({ initial: 2 });
  const [one, other] = [createLimiter({ limit: factory }), createLimiter({ limit: factory })];
  const permits = [one.tryAcquire(), one.tryAcquire()];
  for (const permit of permits) permit?.release('dropped');
  expect([one.limit, other.limit]).toEqual([1, 2]);
});
