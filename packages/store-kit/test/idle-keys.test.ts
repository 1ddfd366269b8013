import { expect, test } from 'vitest';
import { settled, World } from './world.ts';

test('a key is evicted once its reserve has been released', async () => {
  const world = new World();
  const limiter = world.limiter({ limit: 2, perKey: true, reserve: 2 });
  (await limiter.acquire({ key: 'a' })).release();
  await settled();
  expect(limiter.stats().keys).toBe(1);
  await world.advance(200);
  expect(await world.stats('renders', 'a')).toMatchObject({ holders: 0 });
  expect(limiter.stats().keys).toBe(0);
});
