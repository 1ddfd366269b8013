import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { adaptive, createLimiter } from '../src/index.ts';

it('adaptive() grows each second while work that never finishes holds all permits', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: adaptive({ min: 8, initial: 8 }), queueLimit: 0, clock });
  for (let index = 0; index < 50; index++) call(limiter).permit?.release();
  const streams = Array.from({ length: 8 }, () => call(limiter));
  const limits: number[] = [];
  for (let second = 0; second < 4; second++) {
    call(limiter);
    limits.push(limiter.limit);
    while (limiter.inflight < limiter.limit) call(limiter);
    clock.advance(1000);
  }
  expect(streams.every(({ permit }) => permit !== undefined)).toBe(true);
  expect(limits).toEqual([8, 16, 24, 32]);
});

it('adaptive() does not grow while slow work finishes', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: adaptive({ min: 2, initial: 2 }), queueLimit: 0, clock });
  for (let index = 0; index < 8; index++) {
    const caller = call(limiter);
    clock.advance(2000);
    caller.permit?.release('ignored');
    const other = call(limiter);
    clock.advance(2000);
    other.permit?.release();
    const held = [call(limiter), call(limiter), call(limiter)];
    for (const { permit } of held) permit?.release('ignored');
  }
  expect(limiter.limit).toBe(2);
});

it('adaptive() bounds the number of kinds of work it tracks', () => {
  const limit = adaptive({ initial: 100, max: 100 }).create();
  let now = 0;
  for (let count = 0; count < 5000; count++) {
    now += 20;
    const sample = {
      rtt: 100 + (count % 7),
      inflight: 100,
      weight: 1,
      outcome: 'ok' as const,
      now,
    };
    limit.sample({ ...sample, kind: `invented ${count}` });
  }
  expect(limit.limit).toBe(100);
});

it('adaptive() grows again after drops have lowered it to between 1 and 2', () => {
  const limit = adaptive().create();
  const sample = { rtt: 10, weight: 1, kind: undefined };
  let now = 0;
  for (; limit.limit >= 1.5; now += 100) {
    limit.sample({ ...sample, inflight: 1, outcome: 'dropped', now });
  }
  expect(limit.limit).toBeGreaterThan(1);
  // One request at a time uses all of a limit below 2.
  const end = now + 20_000;
  for (; now < end; now += 10) {
    limit.sample({ ...sample, inflight: Math.floor(limit.limit), outcome: 'ok', now });
  }
  expect(limit.limit).toBeGreaterThan(10);
});

it('adaptive() stops doubling after a drop', () => {
  const limit = adaptive({ initial: 16 }).create();
  const sample = { rtt: 10, weight: 1, kind: undefined };
  const calm = (from: number) => {
    for (let now = from; now < from + 500; now++) {
      limit.sample({ ...sample, inflight: Math.floor(limit.limit), outcome: 'ok', now });
    }
  };
  limit.sample({ ...sample, inflight: 16, outcome: 'dropped', now: 100 });
  const dropped = limit.limit;
  for (let now = 200; limit.limit === dropped && now < 20_000; now += 500) calm(now);
  expect(limit.limit).toBeGreaterThan(dropped);
  limit.sample({ ...sample, inflight: 16, outcome: 'dropped', now: 30_000 });
  expect(limit.limit).toBeLessThan(60);
});

it('an adaptive limit returns from one, where a single request uses it', () => {
  const limit = adaptive({ initial: 1 }).create();
  const sample = { rtt: 20, inflight: 1, weight: 1, kind: undefined };
  for (let now = 0; now < 1000; now += 100) limit.sample({ ...sample, outcome: 'dropped', now });
  expect(limit.limit).toBe(1);
  for (let now = 2000; limit.limit < 2 && now < 10_000; now += 20) {
    limit.sample({ ...sample, outcome: 'ok', now });
  }
  expect(limit.limit).toBeGreaterThanOrEqual(2);
});

it('statistics and events say why an adaptive limit has changed, unless the app has set it', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: adaptive({ initial: 4 }), queueLimit: 0, clock });
  const reasons: (string | undefined)[] = [];
  limiter.observe({ resized: ({ reason }) => void reasons.push(reason) });
  expect(limiter.stats().limitReason).toBeUndefined();
  const work = (outcome: 'ok' | 'dropped') => {
    const permits = Array.from({ length: 4 }, () => call(limiter).permit);
    clock.advance(20);
    for (const permit of permits) permit?.release(outcome);
  };
  work('ok');
  expect(limiter.stats().limitReason).toBe('used');
  work('dropped');
  expect(limiter.stats().limitReason).toBe('dropped');
  expect(new Set(reasons)).toEqual(new Set(['used', 'dropped']));
  limiter.setLimit(9);
  expect(limiter.stats().limitReason).toBeUndefined();
  expect(reasons.at(-1)).toBeUndefined();
});
