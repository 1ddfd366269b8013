import { expect, test, vi } from 'vitest';
import { lease, scene, settled, World } from './world.ts';

test('a permit whose lease the store has dropped is reported as lost once, at its release', async () => {
  const world = new World();
  const lost = vi.fn();
  const limiter = world.limiter({ name: 'shared', observer: { lost } });
  const permit = await limiter.acquire();
  world.memory.wipe();
  const next = await world.limiter({ name: 'shared' }).acquire();
  permit.release();
  permit.release();
  await settled();
  expect(lost.mock.calls).toEqual([[{ name: 'shared', weight: 1 }]]);
  expect(limiter.stats().distributed?.lost).toBe(1);
  // Another holder's lease was not released.
  expect(await world.stats('shared')).toMatchObject({ inflight: 1, holders: 1 });
  next.release();
});

test('a release that is repeated because its answer was lost does not report a lost permit', async () => {
  const lost = vi.fn();
  const { world, store, limiter } = scene({ name: 'shared', observer: { lost } });
  const permit = await limiter.acquire();
  store.trouble = 'deaf';
  permit.release();
  await world.advance(lease / 5);
  store.trouble = undefined;
  await world.advance(lease / 3);
  expect(store.calls.flat().filter((verb) => verb === 'release').length).toBeGreaterThan(1);
  expect(lost).not.toHaveBeenCalled();
});

test('a lease lost before its release is reported once', async () => {
  const lost = vi.fn();
  const { world, store, limiter } = scene({ name: 'shared', observer: { lost } });
  const permit = await limiter.acquire();
  store.trouble = 'silent';
  await world.advance(lease);
  expect(permit.signal.aborted).toBe(true);
  store.trouble = undefined;
  permit.release();
  await world.advance(lease);
  expect(lost).toHaveBeenCalledTimes(1);
});
