import { expect, test } from 'vitest';
import { lease, outcome, settled, timeout, World } from './world.ts';

test('a process counts as active while it holds, awaits or reserves a permit, and during an outage', async () => {
  const world = new World();
  const store = world.connect({ reserve: 1 });
  const limiter = world.limiter({ store, limit: 1, queueLimit: 1 });
  const isActive = () => store.listener?.isActive;
  const held = await limiter.acquire();
  const waiting = outcome(limiter.acquire());
  await settled();
  held.release();
  await settled();
  expect(isActive()).toBe(true);
  waiting.permit?.release();
  await settled();
  expect(isActive()).toBe(false);

  store.trouble = 'silent';
  const lost = outcome(limiter.acquire());
  await world.advance(lease);
  expect(lost.permit).toBeUndefined();
  expect(isActive()).toBe(true);
  store.trouble = undefined;
  await world.advance(3 * timeout);
  expect(isActive()).toBe(false);

  const reserving = world.limiter({ store, name: 'reserving', limit: 2 });
  (await reserving.acquire()).release();
  await settled();
  expect(isActive()).toBe(true);
  await world.advance(200);
  expect(isActive()).toBe(false);
});
