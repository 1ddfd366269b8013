import { collectGarbage } from '@headgate/test-kit/collect-garbage';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createLimiter } from '../src/index.ts';

// What shadow mode keeps. Mutation tests skip this file, as it takes long.

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const boundless = { queueLimit: Number.POSITIVE_INFINITY, queueTimeout: Number.POSITIVE_INFINITY };

it('a flood of would-be rejections does not stay in memory', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 20, clock: new VirtualClock() });
  limiter.shadow();
  limiter.tryAcquire();
  const flood = () => Promise.all(Array.from({ length: 1_000 }, () => limiter.run(() => {})));
  await flood();
  const before = heap();
  for (let round = 0; round < 100; round++) await flood();
  expect(limiter.stats().shadow?.rejected.full).toBeGreaterThan(90_000);
  // A hundred bytes for each would be as much.
  expect(heap() - before).toBeLessThan(10_000_000);
});

it('the simulation of an unbounded queue is bounded', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 3, ...boundless, clock });
  limiter.shadow();
  const held = Array.from({ length: 20_000 }, () => limiter.tryAcquire());
  for (let index = 0; index < 15_000; index++)
    void limiter.acquire().then((permit) => held.push(permit));
  const { shadow } = limiter.stats();
  expect(shadow).toMatchObject({ admitted: 3, queued: 10_000, rejected: { full: 5_000 } });
});
