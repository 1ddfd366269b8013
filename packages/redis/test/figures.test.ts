import { createLimiter, type Limiter, type Permit } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import type { Store } from '@headgate/store-kit';
import { type FaultyProxy, startProxy } from '@headgate/test-servers';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { useServer } from './server.ts';

// The costs of a distributed limit that docs/redis.md states.

/** The client bypasses the proxy, which counts. */
const { server: redis, admin: direct } = await useServer();
let proxy: FaultyProxy;
let client: Redis;
let store: Store;
let name = 'figures';
let count = 0;

beforeAll(async () => {
  proxy = await startProxy(redis);
  client = new Redis(proxy.port, '127.0.0.1');
  store = redisStore({ client });
  // The script is loaded, and the subscription is open.
  await create(1).run(() => {});
  await vi.waitFor(async () => expect(await direct.pubsub('CHANNELS')).toHaveLength(1), 5_000);
});
beforeEach(() => {
  name = `figures ${++count}`;
});
afterAll(async () => {
  await store.close();
  client.disconnect();
  await proxy.stop();
});

function create(limit: number, of: Store = store): Limiter {
  return createLimiter({ name, limit, queueLimit: 2_000, queueTimeout: 60_000, store: of });
}

async function held(): Promise<number> {
  return (await store.stats({ name })).inflight;
}

async function bytes(): Promise<number> {
  return (await direct.memory('USAGE', `headgate:{${name}}`, 'SAMPLES', 0)) as number;
}

function acquire(limiter: Limiter, times: number): Promise<Permit[]> {
  return Promise.all(Array.from({ length: times }, () => limiter.acquire()));
}

test('a request costs two commands', async () => {
  const limiter = create(4);
  const before = proxy.commands;
  for (let i = 0; i < 20; i++) await limiter.run(() => {});
  await limiter.close();
  expect(proxy.commands - before).toBe(40);
});

test('operations of one event-loop iteration are sent together', async () => {
  const limiter = create(100);
  const before = proxy.commands;
  const permits = await acquire(limiter, 50);
  expect(proxy.commands - before).toBe(1);
  for (const permit of permits) permit.release();
  await limiter.close();
  expect(proxy.commands - before).toBe(2);
});

test('with a reserve, sequential calls need one round trip in a hundred', async () => {
  const reserving = redisStore({ client, reserve: 1 });
  const limiter = create(2, reserving);
  const before = proxy.commands;
  for (let i = 0; i < 200; i++) await limiter.run(() => {});
  await limiter.close();
  await reserving.close();
  // Four, unless the machine pauses for longer than the time after which idle permits are released.
  expect(proxy.commands - before).toBeLessThan(20);
});

describe('memory in Redis', () => {
  test.each([
    [1, 200],
    [101, 200 + 100 * 40],
    [1_001, 200 + 1_000 * 130],
  ])('%i permits', async (permits, most) => {
    const all = await acquire(create(permits), permits);
    expect(await bytes()).toBeLessThan(most);
    for (const permit of all) permit.release();
    await vi.waitFor(async () => expect(await held()).toBe(0), 5_000);
  });

  test('a thousand waiters', async () => {
    const limiter = create(1);
    const [first] = await acquire(limiter, 1);
    const waiting = acquire(limiter, 1_000).catch(() => {});
    await vi.waitFor(async () => expect((await store.stats({ name })).queued).toBe(1_000), 5_000);
    expect(await bytes()).toBeLessThan(200 + 1_000 * 260);
    const closed = limiter.close();
    first?.release();
    await Promise.all([closed, waiting]);
  });
});
