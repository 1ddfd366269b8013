import { collectWarnings } from '@headgate/test-kit/warnings';
import { expect, test } from 'vitest';
import { outcome, scene, settled, timeout, World } from './world.ts';

test('a limit raised while the store is unavailable applies in this process', async () => {
  const warnings = collectWarnings();
  const { world, store, limiter } = scene({ onStoreError: 'local', limit: 1, warns: true });
  store.trouble = 'silent';
  const first = outcome(limiter.acquire());
  await world.advance(timeout);
  first.permit?.release();
  limiter.setLimit(2);
  // Heavier than the limit, which is an error.
  const heavy = outcome(limiter.acquire({ weight: 2 }));
  await settled();
  expect(heavy).toMatchObject({ permit: { weight: 2 } });
  expect(warnings).toEqual(['HEADGATE_STORE']);
});

test('a local waiter is granted when the limit is raised', async () => {
  const warnings = collectWarnings();
  const { world, store, limiter } = scene({ onStoreError: 'local', limit: 1, warns: true });
  store.trouble = 'silent';
  const first = outcome(limiter.acquire());
  await world.advance(timeout);
  expect(first.permit).toBeDefined();
  const second = outcome(limiter.acquire());
  await settled();
  expect(second.permit).toBeUndefined();
  limiter.setLimit(2);
  await settled();
  expect(second.permit).toBeDefined();
  expect(warnings).toEqual(['HEADGATE_STORE']);
});

test('a conflict of declarations is reported once, or never if the declarations agree in the end', async () => {
  const world = new World();
  const conflicts: number[] = [];
  const limits: number[] = [];
  const observer = {
    conflict: ({ limit }: { limit: number }) => void conflicts.push(limit),
    resized: ({ limit }: { limit: number }) => void limits.push(limit),
  };
  const limiter = world.limiter({ limit: 5, observer });
  const hears = async () => {
    await world.advance(10);
    (await limiter.acquire()).release();
    await settled();
  };
  for (const limit of [5, 6, 5, 7, 8]) {
    (await world.limiter({ limit }).acquire()).release();
    await hears();
  }
  expect([limits, conflicts]).toEqual([[6, 5, 7, 8], [6]]);
});
