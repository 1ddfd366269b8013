import { expect, test } from 'vitest';
import { lease, outcome, settled, World } from './world.ts';

/** Two processes whose requests declare the limits of their keys. */
function pair() {
  const world = new World();
  const make = () => world.limiter({ perKey: true, observer: { conflict: () => {} } });
  const limitOf = async () => (await world.stats('renders', 'a')).limit;
  return { world, here: make(), there: make(), limitOf };
}

test("the renewals of a permit do not undo a later declaration of its key's limit", async () => {
  const { world, here, there, limitOf } = pair();
  const older = await there.acquire({ key: 'a', limit: 1 });
  await world.advance(lease / 10);
  const newer = await here.acquire({ key: 'a', limit: 3 });
  for (let time = 0; time < 3 * lease; time += 100) {
    await world.advance(100);
    expect(await limitOf()).toBe(3);
  }
  for (const permit of [older, newer]) permit.release();
});

test("a waiter is admitted by a later declaration of its key's limit, and does not undo it", async () => {
  const { world, here, there, limitOf } = pair();
  const held = await there.acquire({ key: 'a', limit: 1 });
  const waiting = [outcome(there.acquire({ key: 'a', limit: 1 }))];
  await world.advance(lease);
  waiting.push(outcome(here.acquire({ key: 'a', limit: 2 })));
  await settled();
  expect(waiting).toMatchObject([{ permit: {} }, {}]);
  await world.advance(2 * lease);
  held.release();
  await settled();
  expect([waiting[1], await limitOf()]).toMatchObject([{ permit: {} }, 2]);
});

test('a request whose limit differs from the one that applies declares its own', async () => {
  const { world, here, there, limitOf } = pair();
  const held = await there.acquire({ key: 'a', limit: 3 });
  (await here.acquire({ key: 'a', limit: 5 })).release();
  await world.advance(lease);
  expect(await limitOf()).toBe(5);
  const waiting = outcome(there.acquire({ key: 'a', limit: 1 }));
  await settled();
  expect([waiting, await limitOf()]).toEqual([{}, 1]);
  held.release();
  await settled();
  expect(waiting).toMatchObject({ permit: {} });
});

test('a declaration that the store did not receive is sent again', async () => {
  const world = new World();
  const store = world.connect();
  const limiter = world.limiter({ perKey: true, store, onStoreError: 'local' });
  const limitOf = async () => (await world.stats('renders', 'a')).limit;
  const held = await limiter.acquire({ key: 'a', limit: 1 });
  store.trouble = 'silent';
  const waiting = outcome(limiter.acquire({ key: 'a', limit: 2 }));
  await world.advance(lease / 2);
  expect([waiting, await limitOf()]).toMatchObject([{ permit: {} }, 1]);
  store.trouble = undefined;
  await world.advance(lease);
  expect(await limitOf()).toBe(2);
  held.release();
});

test('a key keeps its limit if the store loses its state', async () => {
  const { world, here, there, limitOf } = pair();
  const older = await there.acquire({ key: 'a', limit: 1 });
  await world.advance(lease);
  const newer = await here.acquire({ key: 'a', limit: 3 });
  await world.advance(lease);
  world.memory.wipe();
  await world.advance(lease);
  expect([await limitOf(), older.signal.aborted, newer.signal.aborted]).toEqual([3, false, false]);
});

test('setLimit() applies to a key with a limit of its own until its next request', async () => {
  const { world, here, there, limitOf } = pair();
  const permits = [await there.acquire({ key: 'a', limit: 1 })];
  permits.push(await here.acquire({ key: 'a', limit: 3 }));
  here.setLimit(7);
  await world.advance(lease);
  expect(await limitOf()).toBe(7);
  permits.push(await there.acquire({ key: 'a', limit: 4 }));
  await world.advance(lease);
  expect([await limitOf(), here.limit]).toEqual([4, 7]);
});
