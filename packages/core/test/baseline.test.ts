import { describe, expect, it } from 'vitest';
import { adaptive, aimd, createLimiter, type Limit, type LimitFactory } from '../src/index.ts';

describe('the baseline in stats()', () => {
  const of = (limit: number | LimitFactory) => createLimiter({ limit }).stats().baseline;

  it('is undefined for a number, for an algorithm without a baseline, and until it is measured', () => {
    for (const limit of [5, aimd(), adaptive()]) expect(of(limit)).toBeUndefined();
  });

  it('is the mean duration of work at low load, weighted by the samples of each kind', () => {
    const limit = adaptive({ min: 8, initial: 8 }).create();
    for (let now = 0; now < 6000; now += 10) {
      const sample = { inflight: 1, weight: 1, outcome: 'ok' as const, now };
      limit.sample({ ...sample, rtt: 10, kind: 'fast' });
      limit.sample({ ...sample, rtt: 30, kind: 'slow' });
    }
    expect(limit.baseline).toBeCloseTo(20, 0);
  });

  it.each([1, 5])(
    'is measured on the first requests if a backlog delays the later ones: %i kinds',
    (kinds) => {
      const limit = adaptive({ min: 8, initial: 8 }).create();
      const sample = (index: number) => ({
        weight: 1,
        outcome: 'ok' as const,
        kind: `${index % kinds}`,
      });
      for (let now = 200; now <= 800; now += 200) {
        const started = limit.limit;
        for (let finished = 0; finished < started; finished++) {
          limit.sample({ ...sample(finished), rtt: 200, inflight: limit.limit, now });
        }
      }
      const before = limit.limit;
      for (let now = 1000; now < 8000; now += 4) {
        const rtt = Math.max(200, 500 * (limit.limit / before));
        limit.sample({ ...sample(now / 4), rtt, inflight: Math.floor(limit.limit), now });
      }
      // Of five kinds, each has only one or two first requests.
      expect(limit.baseline).toBeLessThan(kinds === 1 ? 220 : 250);
      expect(limit.limit).toBeLessThan(before * 0.8);
    },
  );

  /** Work of 200 ms that uses the limit up while it rises, then less work, which is delayed at first. */
  const start = (
    kindOf: (index: number) => string,
    later: { until: number; rttAt: (part: number) => number },
  ) => {
    const limit = adaptive({ min: 8, initial: 8 }).create();
    const usual = { weight: 1, outcome: 'ok' as const };
    for (let now = 200; now <= 800; now += 200) {
      const started = limit.limit;
      for (let index = 0; index < started; index++) {
        limit.sample({ ...usual, kind: kindOf(index), rtt: 200, inflight: limit.limit, now });
      }
    }
    const before = limit.limit;
    for (let now = 1000; now < later.until; now += 4) {
      const rtt = now < 1200 ? 500 : later.rttAt(limit.limit / before);
      const inflight = Math.min(before * 0.8, limit.limit);
      limit.sample({ ...usual, kind: 'usual', rtt, inflight, now });
    }
    return limit;
  };

  it('is measured on the first requests even if later requests are of other kinds', () => {
    const kindOf = (index: number) => (index % 2 === 0 ? 'usual' : 'only at the start');
    const rttAt = (part: number) => Math.max(200, 500 * part);
    expect(start(kindOf, { until: 8000, rttAt }).baseline).toBeLessThan(220);
  });

  it('is not measured on the first requests if they were slower than the later ones', () => {
    const { baseline } = start(() => 'usual', { until: 4000, rttAt: () => 100 });
    expect(baseline).toBeLessThan(110);
  });

  it('is read from an algorithm of the app, unless it is not a number', () => {
    const sample = () => {};
    const own = (baseline: unknown) =>
      of({ create: () => ({ limit: 1, sample, baseline }) as Limit });
    expect([own(12), own('x'), own(Number.NaN)]).toEqual([12, undefined, undefined]);
  });
});
