import { type Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createLimiter } from '../src/index.ts';

// Costs that must not grow with the length of the queue. Mutation tests skip this file, as it takes long.

const boundless = { queueLimit: Number.POSITIVE_INFINITY, queueTimeout: Number.POSITIVE_INFINITY };

it('100,000 waiters that release at once do not overflow the stack', () => {
  const limiter = createLimiter({ limit: 1, ...boundless });
  const held = limiter.tryAcquire();
  let depth = 0;
  let deepest = 0;
  let granted = 0;
  for (let index = 0; index < 100_000; index++) {
    call(limiter, {
      onGranted: (permit) => {
        granted++;
        deepest = Math.max(deepest, ++depth);
        permit.release();
        depth--;
      },
    });
  }
  held?.release();
  expect([granted, deepest]).toEqual([100_000, 1]);
});

it('withdrawing half of 100,000 waiters does not slow down the others', () => {
  const count = 100_000;
  const drain = (cancels: boolean) => {
    const limiter = createLimiter({ limit: 1, ...boundless });
    const held = limiter.tryAcquire();
    const onGranted: (permit: { release(): void }) => void = (permit) => permit.release();
    const callers = Array.from({ length: count }, () => call(limiter, { onGranted }));
    const begun = performance.now();
    if (cancels)
      for (let index = count - 1; index >= 0; index -= 2)
        limiter.withdraw(callers[index] as Caller);
    held?.release();
    const answered = callers.filter(({ answers }) => answers === 1).length;
    expect([answered, limiter.queued]).toEqual([cancels ? count / 2 : count, 0]);
    return performance.now() - begun;
  };
  drain(true);
  // A search through the queue for each withdrawal would take a thousand times as long.
  expect(drain(true)).toBeLessThan(20 * drain(false) + 100);
});

/** Milliseconds that the rejections of a full queue take. */
function rejecting(timeoutOf: (index: number) => number): number {
  const limiter = createLimiter({ limit: 1, queueLimit: 10_000, clock: new VirtualClock() });
  limiter.tryAcquire();
  for (let index = 0; index < 10_000; index++) call(limiter, { queueTimeout: timeoutOf(index) });
  const start = performance.now();
  for (let index = 0; index < 200; index++) call(limiter);
  return performance.now() - start;
}

it('rejections are equally fast if each waiter has its own timeout', () => {
  const best = (timeoutOf: (index: number) => number) =>
    Math.min(...Array.from({ length: 10 }, () => rejecting(timeoutOf)));
  // They took 100 times as long when each timeout bucket was searched.
  expect(best((index) => 1000 + index)).toBeLessThan(15 * best(() => 1000));
});
