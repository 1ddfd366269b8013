import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createLimiter, type LimiterOptions } from '../src/index.ts';
import { Backoff, RetryAfter } from '../src/semaphore/retry-after.ts';

describe('the backoff computed from recent rejections', () => {
  /** The backoff of each rejection within one second, which is always the same. */
  function rejectAll(backoff: Backoff, second: number, drops: number): number {
    const answers = new Set(Array.from({ length: drops }, () => backoff.rejected(second)));
    expect(answers.size).toBe(1);
    return [...answers][0] as number;
  }

  it("matches Kubernetes' table", () => {
    const backoff = new Backoff();
    const table: [second: number, drops: number, seconds: number][] = [
      ...([
        [0, 5, 1],
        [1, 11, 2],
        [2, 1, 2],
        [3, 11, 4],
        [4, 1, 4],
        [7, 1, 8],
      ] as const),
      ...([
        [11, 1, 8],
        [15, 1, 7],
        [17, 1, 6],
        [21, 14, 5],
        [22, 1, 10],
      ] as const),
    ].map(([second, drops, seconds]) => [second, drops, seconds]);
    for (const [second, drops, seconds] of table) {
      expect([second, rejectAll(backoff, second, drops)]).toEqual([second, seconds]);
    }
  });

  it('doubles up to 32 seconds while many requests are rejected', () => {
    const backoff = new Backoff();
    let seconds = 0;
    for (let second = 0; second < 300; second++) seconds = rejectAll(backoff, second, 200);
    expect(seconds).toBe(32);
  });

  it('is reset after a period without rejections', () => {
    const backoff = new Backoff();
    for (let second = 0; second < 300; second++) rejectAll(backoff, second, 200);
    expect(backoff.rejected(299 + 64)).toBeGreaterThan(1);
    expect(backoff.rejected(299 + 64 + 3600)).toBe(1);
  });

  it('decreases to 1 while few requests are rejected', () => {
    const backoff = new Backoff();
    for (let second = 0; second < 4; second++) rejectAll(backoff, second, 20);
    const answers = Array.from({ length: 20 }, (_, index) => backoff.rejected(4 + 2 * index));
    expect(answers.at(-1)).toBe(1);
    expect(Math.min(...answers)).toBe(1);
  });
});

describe('the result of the backoff and the expected wait', () => {
  const seconds = (random: number, wait: number) =>
    new RetryAfter({ random: () => random }).seconds(1000, wait);

  it('is the longer of the two in whole seconds, with up to a half added at random', () => {
    expect(seconds(0, 9001)).toBe(10);
    expect(seconds(0.999, 9001)).toBe(15);
    expect(seconds(0.5, 9001)).toBe(13);
    const busy = new RetryAfter({ random: () => 0 });
    for (let drop = 0; drop < 9; drop++) busy.seconds(0, 1);
    expect(busy.seconds(1000, 1)).toBe(2);
  });

  it('is 1 to 60 seconds, and is random at the maximum too', () => {
    expect(seconds(0, 0)).toBe(1);
    expect(seconds(0, 1e9)).toBe(40);
    expect(seconds(0.999, 1e9)).toBe(60);
  });
});

describe('the retryAfter of a limiter', () => {
  function limited(options: Partial<LimiterOptions> = {}) {
    const clock = new VirtualClock({ random: () => 0 });
    const settings = { limit: 4, queueLimit: 9, clock };
    const limiter = createLimiter({ ...settings, ...options });
    const refused = (key?: string) => {
      const wishes = { weight: 4, queueTimeout: 0, ...(key !== undefined && { key }) };
      const caller = call(limiter, wishes);
      clock.advance(1);
      return caller.rejection?.retryAfter;
    };
    return { clock, limiter, refused };
  }

  it('counts the queued weight and the weight of the request', () => {
    const { clock, limiter, refused } = limited({ queueTimeout: Number.POSITIVE_INFINITY });
    limiter.tryAcquire({ weight: 2 });
    const held = limiter.tryAcquire({ weight: 2 });
    call(limiter, { weight: 4 });
    call(limiter, { weight: 2 });
    expect(refused()).toBe(1);
    clock.advance(3997);
    held?.release();
    // A limit of 4 is expected to take 4 s, and 10 are ahead.
    expect(refused()).toBe(10);
  });

  it('is computed per key, and evicted with the key', () => {
    const { clock, limiter, refused } = limited({ perKey: true });
    const held = limiter.tryAcquire({ key: 'a', weight: 4 });
    limiter.tryAcquire({ key: 'b', weight: 4 });
    for (let drop = 0; drop < 9; drop++) refused('a');
    clock.advance(1000);
    expect(refused('a')).toBeGreaterThan(1);
    expect(refused('b')).toBe(1);
    held?.release();
    limiter.tryAcquire({ key: 'a', weight: 4 });
    expect(refused('a')).toBe(1);
  });
});
