import { call } from '@headgate/test-kit/caller';
import { expect, test } from 'vitest';
import { lease, outcome, scene, settled, timeout, World } from './world.ts';

test('a request that may not wait is rejected at once, even in an outage with onStoreError: local', async () => {
  const { world, store, limiter } = scene({ onStoreError: 'local' });
  store.trouble = 'silent';
  const held = outcome(limiter.acquire());
  await world.advance(timeout);
  const error = { rejection: { reason: 'full' } };
  await expect(limiter.acquire({ queueTimeout: 0 })).rejects.toMatchObject(error);
  held.permit?.release();
  expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('a request that may not wait is rejected if an outage begins before its answer', async () => {
  const { world, store, limiter } = scene({ onStoreError: 'local' });
  const held = await limiter.acquire();
  store.trouble = 'silent';
  const asked = outcome(limiter.acquire({ queueTimeout: 0 }));
  await world.advance(timeout);
  expect(asked.error).toMatchObject({ rejection: { reason: 'full' } });
  held.release();
  expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('permits that a refusing store has not registered count against the limit of the process', async () => {
  const { world, store, limiter } = scene({ onStoreError: 'local', limit: 2 });
  store.trouble = 'silent';
  const held = [outcome(limiter.acquire()), outcome(limiter.acquire())];
  await world.advance(timeout);
  expect(held.every(({ permit }) => permit !== undefined)).toBe(true);
  store.trouble = 'refused';
  await world.advance(lease);
  const next = outcome(limiter.acquire());
  await world.advance(timeout);
  expect([next.permit, limiter.inflight]).toEqual([undefined, 2]);
  held[0]?.permit?.release();
  await settled();
  expect(next.permit).toBeDefined();
  for (const { permit } of [...held, next]) permit?.release();
});

test('waiters that were queued during an outage are not rejected when the store is available again', async () => {
  const world = new World();
  const stores = [world.connect(), world.connect()] as const;
  const limiters = stores.map((store) =>
    world.limiter({ store, onStoreError: 'local', queueLimit: 1 }),
  );
  for (const store of stores) store.trouble = 'silent';
  const held = limiters.map((limiter) => outcome(limiter.acquire()));
  await world.advance(timeout);
  const waiting = limiters.map((limiter) => outcome(limiter.acquire()));
  await settled();
  expect(limiters.map(({ queued }) => queued)).toEqual([1, 1]);
  for (const store of stores) store.trouble = undefined;
  await world.advance(lease);
  expect(waiting.map(({ error }) => error)).toEqual([undefined, undefined]);
  for (const { permit } of held) permit?.release();
  await settled();
  for (const { permit } of waiting) permit?.release();
  await settled();
  for (const { permit } of waiting) permit?.release();
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('an idle permit admits no request after the limit was lowered', async () => {
  const world = new World();
  const limiter = world.limiter({ limit: 3, reserve: 1 });
  const held = [await limiter.acquire(), await limiter.acquire()];
  (await limiter.acquire()).release();
  limiter.setLimit(1);
  const next = outcome(limiter.acquire());
  await settled();
  expect(next.permit).toBeUndefined();
  for (const permit of held) permit.release();
  await settled();
  expect(next.permit).toBeDefined();
  next.permit?.release();
});

test('setLimit() of a closed limiter changes nothing for other processes', async () => {
  const world = new World();
  const [closed, other] = [world.limiter({ limit: 5 }), world.limiter({ limit: 5 })];
  await closed.close();
  closed.setLimit(1);
  await world.advance(lease);
  (await other.acquire()).release();
  await settled();
  expect([other.limit, await world.stats()]).toMatchObject([5, { limit: 5 }]);
});

test("setLimit() applies to every key in use, even if a request has set the key's own limit", async () => {
  const world = new World();
  const limiter = world.limiter({ perKey: true, limit: 1 });
  const held = await limiter.acquire({ key: 'a', limit: 5 });
  limiter.setLimit(2);
  await settled();
  expect(limiter.usage('a').limit).toBe(2);
  expect(await world.stats('renders', 'a')).toMatchObject({ limit: 2 });
  held.release();
});

test('an observer may request a permit of the key in the report, and no waiter is left', async () => {
  const world = new World();
  const holder = await world.limiter({ perKey: true }).acquire({ key: 'a' });
  let inner: ReturnType<typeof call> | undefined;
  let hasAsked = false;
  const observer = {
    asked: () => {
      if (hasAsked) return;
      hasAsked = true;
      inner = call(limiter, { key: 'a' });
    },
  };
  const limiter = world.limiter({ perKey: true, observer });
  const outer = call(limiter, { key: 'a' });
  await settled();
  const closed = limiter.close();
  holder.release();
  await closed;
  expect([inner?.rejection?.reason, outer.rejection?.reason]).toEqual(['closed', 'closed']);
});
