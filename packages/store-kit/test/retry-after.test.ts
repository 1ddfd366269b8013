import type { Limiter, RejectedError } from '@headgate/core';
import { expect, test } from 'vitest';
import { outcome, settled, World } from './world.ts';

async function rejections(limiter: Limiter, count: number): Promise<(number | undefined)[]> {
  const rejected = Array.from({ length: count }, () => outcome(limiter.acquire()));
  await settled();
  return rejected.map(({ error }) => (error as RejectedError).rejection.retryAfter);
}

test('Retry-After is computed from the requests that the process itself has admitted', async () => {
  const world = new World();
  const options = { limit: 2, queueLimit: 0 };
  const [busy, idle] = [world.limiter(options), world.limiter(options)];
  const held = await idle.acquire();
  // Ten requests per second are admitted here, and none there.
  for (let index = 0; index < 50; index++) {
    const permit = await busy.acquire();
    await rejections(busy, 1);
    await world.advance(100);
    permit.release();
    await settled();
  }
  await busy.acquire();
  const [here, there] = [await rejections(busy, 95), await rejections(idle, 95)];
  // Half of the wait, since the random numbers are 0.
  expect([here[0], here[44], here[94]]).toEqual([1, 3, 5]);
  expect(there[94]).toBe(1);
  held.release();
});
