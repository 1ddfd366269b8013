import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimiter, type LimiterOptions } from '../src/index.ts';
import { RetryAfter } from '../src/semaphore/retry-after.ts';

/** The rejected clients of a limit that admits requests at a rate. */
class Rejections {
  now = 5000;
  admitted = 0;
  readonly #retryAfter: RetryAfter;

  constructor(random: () => number = () => 0.5) {
    this.#retryAfter = new RetryAfter({ random });
  }

  /** Rejects this many clients at once. */
  reject(count: number, pauseLeft = 0): number[] {
    const next = () => this.#retryAfter.seconds(this.now, this.admitted, pauseLeft);
    return Array.from({ length: count }, next);
  }

  /** Rejects one client after each second in which this many requests were admitted. */
  pass(seconds: number, perSecond: number): void {
    for (let second = 0; second < seconds; second++) {
      this.now += 1000;
      this.admitted += perSecond;
      this.reject(1);
    }
  }
}

/** After five seconds in which this many requests per second were admitted. */
function admitting(perSecond: number, random?: () => number): Rejections {
  const rejections = new Rejections(random);
  rejections.reject(1);
  rejections.pass(5, perSecond);
  return rejections;
}

const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** The number of clients that return in each second. */
function returnsOf(retryAfters: readonly number[]): number[] {
  const counts: number[] = new Array(61).fill(0);
  for (const seconds of retryAfters) counts[seconds] = (counts[seconds] ?? 0) + 1;
  return counts;
}

describe('Retry-After', () => {
  it('is a whole number from 1 to 60, after the end of a pause', () => {
    const step = fc.record({
      // The clock may be set back.
      elapsed: fc.oneof(
        fc.double({ min: 0, max: 5000, noNaN: true }),
        fc.integer({ min: -1e7, max: 1e7 }),
      ),
      admitted: fc.nat(10_000),
      pauseLeft: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 4e6, noNaN: true })),
      random: anyRandom,
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        let [now, admitted, random] = [0, 0, 0];
        const retryAfter = new RetryAfter({ random: () => random });
        for (const each of steps) {
          now += each.elapsed;
          admitted += each.admitted;
          random = each.random;
          const seconds = retryAfter.seconds(now, admitted, each.pauseLeft);
          expect(Number.isInteger(seconds) && seconds >= 1).toBe(true);
          expect(1000 * seconds).toBeGreaterThanOrEqual(each.pauseLeft);
          expect(seconds).toBeLessThanOrEqual(Math.ceil(each.pauseLeft / 1000 + 60));
        }
      }),
    );
  });

  it('lets rejected clients return as fast as requests are admitted', () => {
    const everyFifty = admitting(20)
      .reject(400)
      .filter((_, index) => index % 50 === 45);
    expect(everyFifty).toEqual([4, 6, 9, 11, 14, 16, 19, 21]);
    expect(admitting(2).reject(4)).toEqual([2, 3, 3, 4]);
  });

  it('never lets clients return together, however many are rejected at once', () => {
    const scene = fc.record({
      perSecond: fc.integer({ min: 1, max: 500 }),
      seconds: fc.integer({ min: 1, max: 50 }),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(scene, ({ perSecond, seconds, seed }) => {
        let state = seed;
        const random = () => {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
          return state / 2 ** 32;
        };
        const counts = returnsOf(admitting(perSecond, random).reject(perSecond * seconds));
        expect(Math.max(...counts)).toBeLessThanOrEqual(1.2 * perSecond + 5 * Math.sqrt(perSecond));
      }),
    );
  });

  it('spreads clients that are rejected before a rate is known', () => {
    const counts = returnsOf(new Rejections(Math.random).reject(200));
    expect(counts[1]).toBeGreaterThan(50);
    expect(counts[2]).toBeGreaterThan(50);
  });

  it('spreads clients over half a minute if more are rejected than are admitted in a minute', () => {
    const rejections = admitting(10, Math.random);
    rejections.reject(600);
    const counts = returnsOf(rejections.reject(6000));
    expect(counts.slice(0, 31).every((count) => count === 0)).toBe(true);
    expect(counts.slice(32, 60).every((count) => count > 100 && count < 300)).toBe(true);
  });

  it('starts again from now once the clients have returned', () => {
    const rejections = admitting(10);
    expect(rejections.reject(95).at(-1)).toBe(11);
    rejections.pass(11, 10);
    expect(rejections.reject(1)).toEqual([2]);
  });

  it('keeps the rate while nothing is admitted', () => {
    const rejections = admitting(10);
    rejections.pass(30, 0);
    expect(rejections.reject(95).at(-1)).toBe(11);
  });

  it('follows the rate', () => {
    const rejections = admitting(10);
    rejections.pass(6, 1000);
    expect(rejections.reject(1000).at(-1)).toBe(3);
    rejections.pass(12, 10);
    expect(rejections.reject(95).at(-1)).toBe(11);
  });

  it.each([3000, 60_000, 86_400_000, -1, -5000, -86_400_000])(
    'forgets the rate and the schedule if the clock advances by %i ms between two rejections',
    (elapsed) => {
      const rejections = admitting(10);
      expect(rejections.reject(300).at(-1)).toBe(32);
      rejections.now += elapsed;
      expect(rejections.reject(100).at(-1)).toBe(2);
    },
  );

  it('lets clients return one after the other after a pause', () => {
    const retryAfters = admitting(10).reject(100, 20_000);
    expect([0, 45, 95].map((index) => retryAfters[index])).toEqual([22, 26, 31]);
  });
});

describe('the retryAfter of a limiter', () => {
  /** Admits ten requests per second, and rejects all others. */
  function limited(options: Partial<LimiterOptions> = {}) {
    const clock = new VirtualClock({ random: () => 0.5 });
    const limiter = createLimiter({ limit: 1, queueLimit: 0, clock, ...options });
    const reject = (key: string | undefined, count: number) =>
      Array.from(
        { length: count },
        () => call(limiter, key === undefined ? {} : { key }).rejection?.retryAfter,
      );
    const pass = (seconds: number, key?: string) => {
      for (let index = 0; index < 10 * seconds; index++) {
        const { permit } = call(limiter, key === undefined ? {} : { key });
        reject(key, 1);
        clock.advance(100);
        permit?.release();
      }
      return call(limiter, key === undefined ? {} : { key });
    };
    return { limiter, reject, pass };
  }

  it('is when a request will be admitted, after all clients that were rejected before', () => {
    const { reject, pass } = limited();
    pass(5);
    expect(reject(undefined, 95).at(-1)).toBe(11);
  });

  it('does not depend on the length of the queue', () => {
    const clock = new VirtualClock({ random: () => 0.5 });
    const options = { limit: 1, queueLimit: 1000, queueTimeout: Number.POSITIVE_INFINITY, clock };
    const limiter = createLimiter(options);
    for (let index = 0; index <= 1000; index++) call(limiter);
    clock.advance(60_000);
    expect(call(limiter).rejection?.retryAfter).toBe(2);
  });

  it('is computed for each key from the requests of that key, and forgotten with the key', () => {
    const { reject, pass, limiter } = limited({ perKey: true, limit: 2 });
    // A permit that is held keeps the key in use.
    const held = [call(limiter, { key: 'a' }), pass(5, 'a')];
    held.push(call(limiter, { key: 'b' }), call(limiter, { key: 'b' }));
    expect(reject('a', 95).at(-1)).toBe(11);
    expect(reject('b', 95).at(-1)).toBe(2);
    for (const { permit } of held) permit?.release();
    held.push(call(limiter, { key: 'a' }), call(limiter, { key: 'a' }));
    expect(reject('a', 95).at(-1)).toBe(2);
  });
});
