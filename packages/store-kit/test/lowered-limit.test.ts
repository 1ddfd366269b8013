import { expect, test } from 'vitest';
import { outcome, scene, settled } from './world.ts';

test.each([
  ['hand-off', { handoff: 5, reserve: 0 }],
  ['reserves', { handoff: 0, reserve: 2 }],
])('with %s, no waiter is granted while more is held than a lowered limit', async (_, options) => {
  const { limiter } = scene({ limit: 3, ...options });
  const permits = [await limiter.acquire(), await limiter.acquire(), await limiter.acquire()];
  limiter.setLimit(1);
  await settled();
  const waiting = outcome(limiter.acquire());
  for (const permit of permits) {
    await settled();
    expect(waiting).toEqual({});
    permit.release();
  }
  await settled();
  expect(waiting.permit).toBeDefined();
  expect(limiter.inflight).toBe(1);
});
