import { expect, test } from 'vitest';
import { lease, outcome, settled, timeout, World } from './world.ts';

/** Two processes with one limit per key. */
function pair(options: Parameters<World['limiter']>[0] = {}) {
  const world = new World();
  const make = () => world.limiter({ perKey: true, ...options });
  return { world, here: make(), there: make() };
}

test('operating a limit per key applies to each key', async () => {
  const { world, here, there } = pair();
  const a = await there.acquire({ key: 'a' });
  here.pause();
  const waiting = [outcome(here.acquire({ key: 'a' })), outcome(here.acquire({ key: 'b' }))];
  await settled();
  a.release();
  await settled();
  expect([waiting, there.state]).toEqual([[{}, {}], 'paused']);
  waiting.push(outcome(there.acquire({ key: 'c' })));
  await settled();
  expect(waiting[2]).toEqual({});
  there.resume();
  await settled();
  expect(waiting).toMatchObject([{}, {}, { permit: {} }]);
  // The processes have no key in common.
  await world.advance(lease / 2 + timeout);
  expect(waiting).toMatchObject([{ permit: {} }, { permit: {} }, { permit: {} }]);
});

test("a process receives an operator's changes to a keyed limit even if no other process uses its keys", async () => {
  const observer = { conflict: () => {} };
  const { world, here, there } = pair({ limit: 2, observer });
  (await there.acquire({ key: 'there' })).release();
  await world.advance(10);
  here.setLimit(3);
  here.shadow();
  await world.advance(lease / 2);
  (await there.acquire({ key: 'there' })).release();
  await settled();
  expect([there.limit, there.mode]).toEqual([3, 'shadow']);
});

test('a limit per key can be paused even if requests set the limits of their keys', async () => {
  const { here, there } = pair();
  const held = await there.acquire({ key: 'a', limit: 2 });
  expect(held.weight).toBe(1);
  here.pause();
  const waiting = outcome(here.acquire({ key: 'a', limit: 2 }));
  await settled();
  expect([waiting, there.state]).toEqual([{}, 'paused']);
});
