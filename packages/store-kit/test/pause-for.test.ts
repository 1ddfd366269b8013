import type { Limiter } from '@headgate/core';
import { expect, test } from 'vitest';
import { lease, outcome, settled, timeout, World } from './world.ts';

const admitted = (outcomes: readonly ReturnType<typeof outcome>[]) =>
  outcomes.filter(({ permit }) => permit !== undefined).length;

/** Two processes with one limit. */
function pair(options: Parameters<World['limiter']>[0] = {}) {
  const world = new World();
  const common = { limit: 10, queueTimeout: 60_000, ...options };
  return { world, here: world.limiter(common), there: world.limiter(common) };
}

test('a pause of one process holds for all, and the limit returns in steps', async () => {
  const { world, here, there } = pair();
  here.pauseFor(1_000);
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 10 });
  const waiting = Array.from({ length: 20 }, (_, i) => outcome((i % 2 ? here : there).acquire()));
  await world.advance(990);
  expect([admitted(waiting), here.stats().pausedFor]).toEqual([0, 10]);
  await world.advance(60);
  expect(admitted(waiting)).toBe(1);
  await world.advance(450);
  expect(admitted(waiting)).toBeGreaterThan(3);
  expect(admitted(waiting)).toBeLessThan(7);
  await world.advance(600);
  expect([admitted(waiting), here.stats().pausedFor]).toEqual([10, undefined]);
  for (const { permit } of waiting) permit?.release();
  await settled();
  for (const { permit } of waiting) permit?.release();
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('pauses of several processes do not add up', async () => {
  const world = new World();
  const limiters = Array.from({ length: 4 }, () =>
    world.limiter({ limit: 10, queueTimeout: 60_000 }),
  );
  const running = outcome((limiters[0] as Limiter).acquire());
  await settled();
  for (const limiter of limiters) {
    limiter.pauseFor(1_000);
    await settled();
  }
  running.permit?.release();
  const waiting = Array.from({ length: 20 }, (_, i) =>
    outcome((limiters[i % 4] as Limiter).acquire()),
  );
  await world.advance(990);
  expect(admitted(waiting)).toBe(0);
  await world.advance(60);
  expect(admitted(waiting)).toBe(1);
  await world.advance(450);
  expect(admitted(waiting)).toBeGreaterThan(3);
  expect(admitted(waiting)).toBeLessThan(7);
  await world.advance(600);
  expect(admitted(waiting)).toBe(10);
});

test('the limit returns in steps after the last of several pauses', async () => {
  const { world, here, there } = pair();
  const running = outcome(here.acquire());
  await settled();
  here.pauseFor(10_000);
  await world.advance(9_000);
  there.pauseFor(10_000);
  running.permit?.release();
  const waiting = Array.from({ length: 20 }, () => outcome(here.acquire()));
  await world.advance(10_100);
  expect(admitted(waiting)).toBe(1);
  await world.advance(5_000);
  expect(admitted(waiting)).toBeGreaterThan(3);
  expect(admitted(waiting)).toBeLessThan(7);
  await world.advance(5_000);
  expect(admitted(waiting)).toBe(10);
});

test('a process that pauses a limit hands no lease to its next waiter', async () => {
  const world = new World();
  const limiter = world.limiter({ limit: 2, queueTimeout: 60_000, handoff: 5 });
  const running = [await limiter.acquire(), await limiter.acquire()];
  const waiting = outcome(limiter.acquire());
  await settled();
  limiter.pauseFor(1_000);
  for (const permit of running) permit.release();
  await world.advance(900);
  expect(waiting.permit).toBeUndefined();
  await world.advance(1_200);
  expect(waiting.permit).toBeDefined();
});

test('the process that pauses rejects requests that would time out before the pause ends', async () => {
  const { here } = pair({ queueTimeout: 500 });
  here.pauseFor(5_000);
  const rejection = { reason: 'overloaded', retryAfter: 6 };
  await expect(here.acquire()).rejects.toMatchObject({ rejection });
});

test('a pause withholds the whole of a limit that is raised meanwhile, here or in another process', async () => {
  const { world, here, there } = pair();
  await there.acquire().then((permit) => permit.release());
  there.setLimit(20);
  await settled();
  here.pauseFor(1_000);
  await settled();
  const waiting = Array.from({ length: 30 }, () => outcome(there.acquire()));
  await world.advance(100);
  expect([here.limit, admitted(waiting)]).toEqual([20, 0]);
  here.setLimit(30);
  await world.advance(100);
  expect(admitted(waiting)).toBe(0);
  await world.advance(2_000);
  expect(admitted(waiting)).toBe(30);
});

test('a pause continues after an outage in which its lease has expired', async () => {
  const world = new World();
  const store = world.connect();
  const options = { limit: 2, queueTimeout: 120_000, onStoreError: 'local' } as const;
  const limiter = world.limiter({ ...options, store });
  limiter.pauseFor(30_000);
  await settled();
  store.trouble = 'silent';
  await world.advance(2 * lease + timeout);
  const waiting = outcome(limiter.acquire());
  await world.advance(lease);
  expect(waiting.permit).toBeUndefined();
  store.trouble = undefined;
  await world.advance(lease);
  expect(await world.stats()).toMatchObject({ inflight: 2 });
  expect(waiting.permit).toBeUndefined();
  await world.advance(60_000);
  expect(waiting.permit).toBeDefined();
  waiting.permit?.release();
  await settled();
  expect(limiter.inflight).toBe(0);
  expect(await world.stats()).toMatchObject({ inflight: 0 });
});

test('a pause of no time has no effect', async () => {
  const { here } = pair();
  here.pauseFor('0');
  here.pauseFor('soon');
  expect(here.inflight).toBe(0);
  await here.acquire();
  expect(here.inflight).toBe(1);
});

test('a pause counts as no request, and close() does not wait for it', async () => {
  const { world, here } = pair();
  const events: string[] = [];
  here.observe({
    admitted: () => events.push('admitted'),
    released: () => events.push('released'),
  });
  here.pauseFor(60_000);
  await settled();
  expect(here.stats()).toMatchObject({ admitted: 0, holders: 0 });
  const closing = here.close();
  await settled();
  expect([await closing, events]).toEqual([0, []]);
  expect(await world.stats()).toMatchObject({ inflight: 0 });
});

test('a pause ends with its lease if the process dies', async () => {
  const world = new World();
  const options = { limit: 2, queueTimeout: 60_000 };
  const dying = world.connect();
  const here = world.limiter({ ...options, store: dying });
  const there = world.limiter(options);
  here.pauseFor(600_000);
  await settled();
  const waiting = outcome(there.acquire());
  await world.advance(lease - 10);
  expect(waiting.permit).toBeUndefined();
  dying.trouble = 'silent';
  await world.advance(2 * lease + timeout);
  expect(waiting.permit).toBeDefined();
});

test('a pause holds in this process while the store is unavailable', async () => {
  const world = new World();
  const store = world.connect();
  const options = { limit: 2, queueTimeout: 60_000, onStoreError: 'local' } as const;
  const limiter = world.limiter({ ...options, store });
  store.trouble = 'refused';
  await limiter.acquire().then((permit) => permit.release());
  limiter.pauseFor(1_000);
  const waiting = outcome(limiter.acquire());
  await world.advance(990);
  expect(waiting.permit).toBeUndefined();
  await world.advance(1_000);
  expect(waiting.permit).toBeDefined();
});
