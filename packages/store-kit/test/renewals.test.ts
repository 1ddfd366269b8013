import { expect, test } from 'vitest';
import { lease, outcome, scene, settled } from './world.ts';

test('leases that are due at almost the same time are renewed in one call', async () => {
  const { world, store, limiter } = scene({ limit: 2 });
  await limiter.acquire();
  await world.advance(lease / 50);
  await limiter.acquire();
  store.calls.length = 0;
  await world.advance(lease / 2);
  expect(store.calls).toEqual([['renew', 'renew']]);
});

test('held leases are renewed before queued ones, since the store may have lost its state', async () => {
  const { world, store, limiter } = scene();
  const other = world.limiter({ name: 'other', store });
  await world.limiter().acquire();
  const waiting = outcome(limiter.acquire());
  await settled();
  await other.acquire();
  store.calls.length = 0;
  store.listener?.check();
  await settled();
  expect(store.calls.flat().slice(0, 2)).toEqual(['renew', 'stay']);
  expect(waiting.permit).toBeUndefined();
});
