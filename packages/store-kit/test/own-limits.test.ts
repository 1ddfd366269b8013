import { expect, test } from 'vitest';
import { lease, outcome, scene, settled, timeout, World } from './world.ts';

/** Two processes with a limit per key, some of whose requests declare that of their key. */
function pair(options: Parameters<World['limiter']>[0] = {}) {
  const world = new World();
  const conflicts: object[] = [];
  const observer = { conflict: (conflict: object) => void conflicts.push(conflict) };
  const make = () => world.limiter({ perKey: true, observer, ...options });
  const limitOf = async () => (await world.stats('renders', 'a')).limit;
  return { world, conflicts, here: make(), there: make(), limitOf };
}

/** One such process, and its store. */
function one(options: Parameters<World['limiter']>[0] = {}) {
  const { world, store, limiter } = scene({ perKey: true, ...options });
  const limitOf = async () => (await world.stats('renders', 'a')).limit;
  return { world, store, limiter, limitOf };
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

test("a waiter admitted by a later declaration of its key's limit does not undo the declaration", async () => {
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

test('a request declares its limit if it differs from the one that applies', async () => {
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
  const { world, store, limiter, limitOf } = one({ onStoreError: 'local' });
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

test("a key's limit declared by one process does not become the limit of all keys in another", async () => {
  const { world, conflicts, here, there } = pair({ limit: 2 });
  (await there.acquire({ key: 'x' })).release();
  await here.acquire({ key: 'b', limit: 1 });
  await world.advance(100);
  await here.acquire({ key: 'a', limit: 3 });
  await there.acquire({ key: 'a' });
  expect([there.usage('a').limit, there.limit]).toEqual([3, 2]);
  const more = outcome(there.acquire({ key: 'b' }));
  await world.advance(lease);
  const { limit } = await world.stats('renders', 'b');
  expect([more, there.limit, here.limit, limit, conflicts]).toEqual([{}, 2, 2, 1, []]);
});

test('the store remembers the limit of a key that is no longer in use', async () => {
  const { world, conflicts, here } = pair({ limit: 2 });
  (await here.acquire({ key: 'x' })).release();
  await world.advance(100);
  (await here.acquire({ key: 'a', limit: 3 })).release();
  await settled();
  await here.acquire({ key: 'a' });
  await world.advance(lease);
  expect([here.usage('a').limit, here.limit, conflicts]).toEqual([3, 2, []]);
});

test('a limit that another process sets replaces older limits of keys', async () => {
  const { world, here, there } = pair({ limit: 2 });
  await here.acquire({ key: 'a', limit: 3 });
  await there.acquire({ key: 'x' });
  await world.advance(lease);
  there.setLimit(7);
  await world.advance(lease);
  expect([here.limit, here.usage('a').limit]).toEqual([7, 7]);
  expect((await world.stats('renders', 'a')).limit).toBe(7);
});

test('setLimit() replaces a later declaration of a key, even if this process has not received it yet', async () => {
  const { world, here, there, limitOf } = pair();
  await here.acquire({ key: 'a', limit: 7 });
  await there.acquire({ key: 'a', limit: 3 });
  // Both have declared the limit of all keys.
  await settled();
  here.setLimit(7);
  await world.advance(lease);
  expect(await limitOf()).toBe(7);
});

test('the repeated release of a refused request does not declare its limit again', async () => {
  const { world, limiter, store, limitOf } = one();
  store.trouble = 'refused';
  expect(await outcome(limiter.acquire({ key: 'a', limit: 5 }))).toEqual({});
  await settled();
  store.trouble = undefined;
  await limiter.acquire({ key: 'a', limit: 3 });
  await world.advance(lease / 10);
  expect(await limitOf()).toBe(3);
});

test('a request that is rejected in an outage does not undo a later declaration', async () => {
  const { world, limiter, store, limitOf } = one();
  const there = world.limiter({ perKey: true });
  store.trouble = 'silent';
  const rejected = outcome(limiter.acquire({ key: 'a', limit: 5 }));
  await world.advance(timeout + 100);
  expect(rejected.error).toMatchObject({ rejection: { reason: 'store' } });
  await there.acquire({ key: 'a', limit: 3 });
  store.trouble = undefined;
  await world.advance(lease / 2);
  expect(await limitOf()).toBe(3);
});

test('an answer to an older declaration does not confirm a later one of the same value', async () => {
  const { world, limiter, limitOf } = one({ handoff: 1 });
  for (const limit of [2, 3, 2]) void limiter.acquire({ key: 'a', limit });
  await world.advance(lease);
  expect(await limitOf()).toBe(2);
});

test.each(['reject', 'local'] as const)(
  'a request admitted by shadow mode in an outage does not declare its limit again: %s',
  async (onStoreError) => {
    const { world, limiter, store, limitOf } = one({ onStoreError });
    limiter.shadow();
    await settled();
    store.trouble = 'silent';
    outcome(limiter.acquire({ key: 'a', limit: 5 }));
    await settled();
    store.trouble = undefined;
    await world.advance(100);
    await limiter.acquire({ key: 'a', limit: 3 });
    await world.advance(lease);
    expect(await limitOf()).toBe(3);
  },
);
