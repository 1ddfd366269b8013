import { call } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { assertFor, patience } from '@headgate/test-kit/property';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLimiter, type LimitFactory } from '../../src/index.ts';
import { withLongQueue } from '../long-queue.ts';

interface Request {
  /** Milliseconds after the request before it. */
  readonly gap: number;
  readonly work: number;
}

interface Settings {
  readonly limit: number | LimitFactory;
  readonly queueTimeout: number;
}

/** Which of the requests are served. All clients are patient. */
function served(requests: readonly Request[], settings: Settings): boolean[] {
  const clock = new VirtualClock({ random: () => 0.5 });
  const queueLimit = typeof settings.limit === 'number' ? { queueLimit: Infinity } : {};
  const limiter = createLimiter({ ...settings, ...queueLimit, clock });
  const callers = requests.map(({ gap, work }) => {
    clock.advance(gap);
    const onGranted = (permit: { release(): void }) =>
      clock.setTimeout(() => permit.release(), work);
    return call(limiter, { onGranted });
  });
  while (clock.armed > 0) clock.advance(1000);
  return callers.map(({ permit }) => permit !== undefined);
}

/** A plain queue rejects no request before its timeout. */
const servedByPlainQueue = (requests: readonly Request[], limit: number, queueTimeout: number) =>
  served(requests, { limit: withLongQueue(limit), queueTimeout });

it(
  'a FIFO limit serves exactly what a plain FIFO queue serves until 32 requests or four times the limit have been released',
  () => {
    const requests = fc.array(
      fc.record({
        gap: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(2000)),
        work: fc.oneof(fc.nat(10), fc.nat(100), fc.nat(3000)),
      }),
      { minLength: 1, maxLength: 80, size: 'max' },
    );
    const limits = fc.integer({ min: 1, max: 10 });
    const timeouts = fc.constantFrom(100, 500, 2000);
    const property = fc.property(limits, timeouts, requests, (limit, queueTimeout, all) => {
      const few = all.slice(0, Math.max(32, 4 * limit));
      expect(served(few, { limit, queueTimeout })).toEqual(
        servedByPlainQueue(few, limit, queueTimeout),
      );
    });
    return assertFor(property, 300, 0.3);
  },
  patience,
);

const works = {
  constant: () => 100,
  exponential: (random: () => number) => -100 * Math.log(1 - random()),
  bimodal: (random: () => number) => (random() < 0.1 ? 820 : 20),
};

it(
  'below the capacity, a FIFO limit serves as many of 3,000 requests as a plain FIFO queue, in bursts too, except for 1.2 %',
  () => {
    const loads = fc.record({
      limit: fc.integer({ min: 1, max: 10 }),
      load: fc.double({ min: 0.3, max: 0.9, noNaN: true }),
      queueTimeout: fc.constantFrom(500, 2000),
      work: fc.constantFrom(...Object.values(works)),
      // In timeouts of work. Requests of bursts that exceed three together may be rejected too early.
      burstOf: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
      seed: fc.integer({ min: 1, max: 2 ** 31 }),
    });
    const property = fc.property(loads, ({ limit, load, queueTimeout, work, burstOf, seed }) => {
      const burst = Math.ceil((burstOf * queueTimeout * limit) / 100);
      const random = lcg(seed);
      const meanGap = (100 * burst) / (limit * load);
      const all = Array.from({ length: 3000 }, (_, index) => ({
        gap: index % burst === 0 ? -Math.log(1 - random()) * meanGap : 0,
        work: work(random),
      }));
      const part = (answers: boolean[]) => answers.filter(Boolean).length / all.length;
      expect(part(served(all, { limit, queueTimeout }))).toBeGreaterThanOrEqual(
        part(servedByPlainQueue(all, limit, queueTimeout)) - 0.012,
      );
    });
    return assertFor(property, 40, 0.4);
  },
  patience,
);

it(
  'once the rate is known, the queue holds at most what is served in three timeouts, and one more request',
  () => {
    const loads = fc.record({
      limit: fc.integer({ min: 1, max: 8 }),
      work: fc.integer({ min: 10, max: 400 }),
      timeouts: fc.integer({ min: 3, max: 20 }),
      load: fc.constantFrom(5, 20),
      seed: fc.integer({ min: 1, max: 2 ** 31 }),
    });
    const property = fc.property(loads, ({ limit, work, timeouts, load, seed }) => {
      const queueTimeout = timeouts * work;
      const clock = new VirtualClock({ random: () => 0.5 });
      const limiter = createLimiter({ limit, queueTimeout, queueLimit: Infinity, clock });
      const random = lcg(seed);
      const onGranted = (permit: { release(): void }) =>
        clock.setTimeout(() => permit.release(), work);
      // 32 or four rounds, and the timeout of earlier requests.
      const known = clock.now() + 40 * work + queueTimeout;
      let peak = 0;
      while (clock.now() < known + 3 * queueTimeout) {
        call(limiter, { onGranted });
        if (clock.now() > known) peak = Math.max(peak, limiter.queued);
        clock.advance((-work * Math.log(1 - random())) / (limit * load));
      }
      // A period may contain the releases of one round more than fits in it, out of at least four.
      const error = 1 / 3;
      expect(peak).toBeLessThanOrEqual(((1 + error) * (3 * queueTimeout * limit)) / work + 1);
    });
    return assertFor(property, 60, 0.3);
  },
  patience,
);
