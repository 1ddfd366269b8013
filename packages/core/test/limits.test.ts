import { describe, expect, it } from 'vitest';
import { adaptive, aimd, createLimiter, type LimitFactory } from '../src/index.ts';
import { feed, times } from './feed.ts';

describe('aimd', () => {
  it('grows by one per round trip while it is used', () => {
    const limit = aimd({ initial: 10 }).create();
    expect(feed(limit, times(10))).toBeCloseTo(11, 0);
    expect(feed(limit, times(50, { inflight: 5 }))).toBeCloseTo(11, 0);
  });

  it('falls on a drop, once for all work admitted before the drop', () => {
    const limit = aimd({ initial: 100 }).create();
    const drop = (now: number) => ({ outcome: 'dropped' as const, now, rtt: 100 });
    expect(feed(limit, [drop(1000), drop(1050), drop(1099)])).toBe(90);
    expect(feed(limit, [drop(1100)])).toBe(81);
  });

  it('stays within its bounds', () => {
    const limit = aimd({ min: 8, max: 11, initial: 10, backoff: 0.5 }).create();
    expect(feed(limit, times(100))).toBe(11);
    expect(feed(limit, [{ outcome: 'dropped', now: 500 }])).toBe(8);
  });
});

it.each<[string, (options?: object) => LimitFactory]>([
  ['adaptive', adaptive],
  ['aimd', aimd],
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
  expect(make({ min: 2000 }).create().limit).toBe(2000);
});

it.each([
  [() => aimd({ backoff: 1 }), 'backoff'],
  [() => createLimiter({ limit: adaptive(), perKey: true }), 'limit'],
  [() => createLimiter({ limit: adaptive as never }), 'limit'],
  [() => createLimiter({ limit: adaptive() }).setLimit(0.5), 'limit'],
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
