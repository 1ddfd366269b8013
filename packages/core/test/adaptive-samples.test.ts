import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { adaptive, createLimiter, type Limit, type Sample } from '../src/index.ts';

const initial = { min: 8, initial: 8 };

/** Feeds a sample each `every` milliseconds, by default of a fully used limit. */
function feedOver(
  limit: Limit,
  { from, to, every }: Record<'from' | 'to' | 'every', number>,
  sampleAt: (now: number) => Partial<Sample> & Pick<Sample, 'rtt'>,
): void {
  const usual = { weight: 1, outcome: 'ok', kind: undefined } as const;
  for (let now = from; now < to; now += every) {
    const inflight = Math.floor(limit.limit);
    limit.sample({ ...usual, inflight, now, ...sampleAt(now) });
  }
}

it.each([5, 20])('adaptive() grows if all requests have the weight %i', (weight) => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: adaptive(initial), clock });
  for (let round = 0; round < 200; round++) {
    const next = () => call(limiter, { weight: Math.min(weight, limiter.limit) });
    const admitted = [next()];
    while (admitted.at(-1)?.permit !== undefined) admitted.push(next());
    clock.advance(20);
    for (const { permit } of admitted) permit?.release();
  }
  expect(limiter.limit).toBeGreaterThan(4 * weight);
});

it('adaptive() learns no baseline from a window that ends with a drop', () => {
  const limit = adaptive(initial).create();
  feedOver(limit, { from: 100, to: 20_000, every: 20 }, () => ({ rtt: 100, inflight: 4 }));
  feedOver(limit, { from: 20_000, to: 40_000, every: 10 }, (now) => ({
    rtt: now % 1000 === 0 ? 5 : 500,
    outcome: now % 1000 === 0 ? 'dropped' : 'ok',
  }));
  feedOver(limit, { from: 40_000, to: 60_000, every: 100 }, () => ({ rtt: 100, inflight: 1 }));
  expect(limit.baseline).toBeLessThan(130);
});

it('adaptive() grows for a new kind of work although another one has become rare', () => {
  const limit = adaptive(initial).create();
  const rare = { rtt: 50, kind: 'rare' };
  feedOver(limit, { from: 100, to: 10_000, every: 10 }, () => ({ ...rare, inflight: 2 }));
  feedOver(limit, { from: 10_000, to: 10_010, every: 10 }, () => ({ rtt: 5, outcome: 'dropped' }));
  const before = limit.limit;
  feedOver(limit, { from: 10_200, to: 13_000, every: 5 }, (now) =>
    (now - 10_300) % 1000 === 0 ? rare : { rtt: 50, kind: 'new' },
  );
  expect(limit.limit).toBeGreaterThan(3 * before);
});

it('adaptive() falls on drops at the start even if other work finishes between them', () => {
  const limit = adaptive(initial).create();
  // 30 at once are answered, the others rejected immediately.
  feedOver(limit, { from: 100, to: 4000, every: 2 }, (now) => {
    const isDropped = now % 4 === 0 && limit.limit > 30;
    return isDropped ? { rtt: 5, outcome: 'dropped' } : { rtt: 100 };
  });
  expect(limit.limit).toBeLessThan(45);
});

it('the baseline does not follow a server that slows down gradually', () => {
  const limit = adaptive({ min: 8, initial: 100, max: 100 }).create();
  // Ten at once at first, then two.
  feedOver(limit, { from: 1000, to: 300_000, every: 10 }, (now) => {
    return { rtt: limit.limit * (1 + (4 * now) / 300_000) };
  });
  expect(limit.baseline).toBeLessThan(150);
  expect(limit.limit).toBeLessThan(60);
});

it('a baseline is corrected under load by a few samples in each window', () => {
  const limit = adaptive({ min: 8, initial: 32, max: 32 }).create();
  const of = (rtt: number) => (now: number) => ({ rtt, kind: `${(now / 5) % 5}` });
  feedOver(limit, { from: 200, to: 3000, every: 5 }, of(200));
  limit.sample({ rtt: 1, inflight: 32, weight: 1, outcome: 'dropped', now: 3000, kind: '0' });
  feedOver(limit, { from: 4000, to: 60_000, every: 5 }, of(100));
  expect(limit.baseline).toBeLessThan(120);
});

it('the baseline rises after decreases have been without effect twice', () => {
  const limit = adaptive({ min: 8, initial: 50, max: 50 }).create();
  feedOver(limit, { from: 1000, to: 20_000, every: 0.5 }, () => ({ rtt: 100 }));
  expect(limit.baseline).toBeCloseTo(100);
  const limits: number[] = [];
  feedOver(limit, { from: 20_000, to: 40_000, every: 0.5 }, () => {
    if (limits.at(-1) !== limit.limit) limits.push(limit.limit);
    return { rtt: 300 };
  });
  expect(limit.baseline).toBeCloseTo(300);
  expect(Math.min(...limits)).toBeLessThan(40);
  expect(limits.at(-1)).toBe(50);
});

it('requests released as ignored do not count as a stall', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: adaptive(initial), queueLimit: 0, clock });
  call(limiter);
  for (let round = 0; round < 100; round++) {
    const admitted = Array.from({ length: 8 }, () => call(limiter));
    clock.advance(100);
    for (const { permit } of admitted) permit?.release('ignored');
  }
  expect(limiter.limit).toBe(8);
});

it.each([0, 4000])(
  'in a spike after %i ms of light load, adaptive() falls to about the capacity within three seconds',
  (lightLoad) => {
    const limit = adaptive(initial).create();
    feedOver(limit, { from: 0, to: lightLoad, every: 20 }, () => ({ rtt: 100, inflight: 2 }));
    const limits: number[] = [];
    feedOver(limit, { from: lightLoad, to: lightLoad + 3000, every: 3 }, () => {
      limits.push(limit.limit);
      // The server handles 33 at once; a request takes as long as the requests that it found need.
      return { rtt: Math.max(100, 3 * (limits.at(-33) ?? 8)) };
    });
    expect(Math.max(...limits)).toBeLessThan(150);
    expect(limits.at(-1)).toBeGreaterThan(25);
    expect(limits.at(-1)).toBeLessThan(50);
  },
);

it('adaptive() continues to adapt after work during which the clock was set back', () => {
  let now = 1_000_000;
  const clock = { now: () => now, setTimeout: () => 0, clearTimeout() {} };
  const limiter = createLimiter({ limit: adaptive({ max: 100 }), clock });
  const work = (rounds: number, capacity: number) => {
    for (let round = 0; round < rounds; round++) {
      const permits = [limiter.tryAcquire()];
      while (permits.at(-1) !== undefined) permits.push(limiter.tryAcquire());
      now += Math.max(10, (10 * permits.length) / capacity);
      for (const permit of permits) permit?.release();
    }
  };
  work(200, 20);
  const permit = limiter.tryAcquire();
  now -= 20;
  permit?.release();
  now += 20;
  work(3000, 60);
  expect(limiter.limit).toBeGreaterThan(50);
});
