import { expect, test } from 'vitest';
import { lease, outcome, settled, timeout, World } from './world.ts';

/** Processes whose requests have the limit of all keys or, if they declare one, that of their key. */
function processes() {
  const world = new World();
  const store = world.connect();
  const make = (options: Parameters<World['limiter']>[0] = {}) =>
    world.limiter({ perKey: true, limit: 2, observer: { conflict: () => {} }, ...options });
  const limitOf = async (key?: string) => (await world.stats('renders', key)).limit;
  return { world, store, one: make({ store }), two: make(), three: make(), limitOf };
}

test("a key's lower limit applies even if the limit of all keys was declared at the same time", async () => {
  const { world, one, limitOf } = processes();
  await world.advance(1000);
  (await one.acquire({ key: 'a', limit: 1 })).release();
  await world.advance(100);
  await one.acquire({ key: 'a' });
  await world.advance(2 * lease);
  expect([one.usage('a').limit, await limitOf('a')]).toEqual([1, 1]);
});

test('a refused request does not prevent later declarations of the same limit', async () => {
  const { world, store, one, two } = processes();
  await world.advance(1000);
  await one.acquire({ key: 'x' });
  await two.acquire({ key: 'y' });
  await world.advance(2 * lease);
  store.trouble = 'refused';
  outcome(one.acquire({ key: 'a', limit: 5 }));
  await settled();
  store.trouble = undefined;
  await world.advance(lease);
  await one.acquire({ key: 'a', limit: 5 });
  await world.advance(lease);
  await two.acquire({ key: 'a' });
  await world.advance(lease);
  expect([one.usage('a').limit, two.usage('a').limit]).toEqual([5, 5]);
});

test('setLimit() in an outage applies even if the store loses its state', async () => {
  const world = new World();
  const store = world.connect();
  const observer = { conflict: () => {} };
  const one = world.limiter({ limit: 2, store, observer });
  const two = world.limiter({ limit: 2, observer });
  const held = await one.acquire();
  await two.acquire();
  await world.advance(2 * lease);
  store.trouble = 'silent';
  held.release();
  await settled();
  one.setLimit(7);
  await world.advance(timeout);
  world.memory.wipe();
  store.trouble = undefined;
  await world.advance(3 * lease);
  expect([two.limit, (await world.stats()).limit]).toEqual([7, 7]);
});

test("a key's own limit does not undo setLimit(), even if it equals the previous limit of all keys", async () => {
  const { world, one, two, three, limitOf } = processes();
  await one.acquire({ key: 'x' });
  await two.acquire({ key: 'y' });
  await three.acquire({ key: 'z' });
  await world.advance(lease);
  three.setLimit(5);
  await world.advance(50);
  await one.acquire({ key: 'a', limit: 2 });
  await world.advance(50);
  await two.acquire({ key: 'a' });
  await world.advance(3 * lease);
  expect([one.limit, two.limit, three.limit, await limitOf()]).toEqual([5, 5, 5, 5]);
});

test('an older limit of a key does not confirm a setLimit() that the store has refused', async () => {
  const { world, store, one, two, limitOf } = processes();
  await world.advance(1000);
  await one.acquire({ key: 'x' });
  await two.acquire({ key: 'y' });
  await world.advance(100);
  (await one.acquire({ key: 'a', limit: 7 })).release();
  await world.advance(100);
  two.setLimit(3);
  await world.advance(lease);
  store.trouble = 'refused';
  one.setLimit(7);
  await world.advance(50);
  store.trouble = undefined;
  outcome(one.acquire({ key: 'a' }));
  await world.advance(3 * lease);
  expect([one.limit, two.limit, await limitOf()]).toEqual([7, 7, 7]);
});

test('in an outage, a waiter that is heavier than the limit of all keys waits within its process', async () => {
  const world = new World();
  const store = world.connect();
  const limiter = world.limiter({ perKey: true, limit: 1, store, onStoreError: 'local' });
  const held = await limiter.acquire({ key: 'a', limit: 3, weight: 2 });
  store.trouble = 'silent';
  const waiting = outcome(limiter.acquire({ key: 'a', weight: 2, queueTimeout: 60_000 }));
  await world.advance(2 * timeout);
  const later = outcome(limiter.acquire({ key: 'a', weight: 3, queueTimeout: 60_000 }));
  await settled();
  expect([waiting, later, limiter.queued]).toEqual([{}, {}, 2]);
  held.release();
  await settled();
  expect([waiting.permit?.weight, later.permit]).toEqual([2, undefined]);
  waiting.permit?.release();
  await settled();
  expect(later.permit?.weight).toBe(3);
});
