import type { Limiter } from '@headgate/core';
import { Caller } from '@headgate/test-kit/caller';
import { expect, test } from 'vitest';
import { settled, World } from './world.ts';

const patience = 500;
const work = 50;

/** Requests arrive every 10 ms for two seconds. Each client leaves after `patience`, and the work takes `work`. */
async function overload(world: World, limiter: Limiter): Promise<{ inTime: number; told: number }> {
  let inTime = 0;
  const callers: Caller[] = [];
  for (let arrival = 0; arrival < 200; arrival++) {
    let hasLeft = false;
    const caller: Caller = new Caller({
      gone: () => hasLeft,
      onGranted: (permit) =>
        void world.clock.setTimeout(() => {
          if (!hasLeft) inTime++;
          permit.release();
        }, work),
    });
    callers.push(caller);
    world.clock.setTimeout(() => {
      hasLeft = true;
      if (caller.answers === 0) limiter.withdraw(caller);
    }, patience);
    limiter.request(caller);
    await world.advance(10);
  }
  const shortened = limiter.stats() as { learnedTimeout?: number };
  expect(shortened.learnedTimeout).toBeLessThan(patience);
  await world.advance(2000);
  const told = callers.filter(({ rejection }) => rejection?.reason === 'timeout').length;
  return { inTime, told };
}

test.each([
  ['hands leases on', 100],
  ['requests a lease for each waiter', 0],
])('a process that %s learns how long its clients wait', async (_, handoff) => {
  const world = new World();
  const limiter = world.limiter({ limit: 2, handoff });
  const { inTime, told } = await overload(world, limiter);
  // Two at once for 50 ms are 40 a second: 80 of 200.
  expect(inTime).toBeGreaterThan(60);
  expect(told).toBeGreaterThan(40);
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  expect(limiter.stats()).toMatchObject({ queued: 0, learnedTimeout: undefined });
});

test('the last waiter of a process is served, whatever it has waited', async () => {
  const world = new World();
  const limiter = world.limiter({ limit: 2 });
  await overload(world, limiter);
  const held = [await limiter.acquire(), await limiter.acquire()];
  const last = new Caller();
  limiter.request(last);
  await world.advance(1900);
  for (const permit of held) permit.release();
  await settled();
  expect(last.permit).toBeDefined();
  last.permit?.release();
});
