import { call } from '@headgate/test-kit/caller';
import { expect, test } from 'vitest';
import { scene, settled } from './world.ts';

test('a lease that adjust() shrinks does not pass to a heavier waiter, even if adjust() causes the release of its permit', async () => {
  const { world, store, limiter } = scene({ limit: 3, handoff: 1, onStoreError: 'local' });
  const held = await limiter.acquire({ weight: 2 });
  store.trouble = 'refused';
  const first = call(limiter, { weight: 2, onGranted: () => held.release() });
  const second = call(limiter, { weight: 2 });
  await settled();
  held.adjust(1);
  await settled();
  expect(first.answers).toBe(1);
  store.trouble = undefined;
  await world.advance(3_000);
  const granted = 2 * (first.answers + second.answers);
  expect((await world.stats()).inflight).toBe(granted);
});
