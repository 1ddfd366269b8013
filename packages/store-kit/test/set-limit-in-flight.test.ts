import { expect, test } from 'vitest';
import { outcome, scene, settled } from './world.ts';

/** A limiter that records the limits that applied, and what it reports as set by other processes. */
function observed() {
  const limits: number[] = [];
  const conflicts: object[] = [];
  const observer = {
    resized: ({ limit }: { limit: number }) => limits.push(limit),
    conflict: (event: object) => conflicts.push(event),
  };
  return { ...scene({ limit: 2, observer }), limits, conflicts };
}

test('an answer from before a setLimit() does not undo it', async () => {
  const { limiter, limits, conflicts } = observed();
  const waiting = outcome(limiter.acquire());
  // The request is sent, and declares the limit of the options.
  await Promise.resolve();
  limiter.setLimit(3);
  await settled();
  expect([limiter.limit, limits, conflicts]).toEqual([3, [3], []]);
  expect(waiting.permit).toBeDefined();
});

test('the answer to a setLimit() does not undo the next one', async () => {
  const { limiter, limits, conflicts } = observed();
  limiter.setLimit(3);
  await Promise.resolve();
  limiter.setLimit(5);
  await settled();
  expect([limiter.limit, limits, conflicts]).toEqual([5, [3, 5], []]);
});
