import type { RedisServer } from '@headgate/test-servers';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { ownServer } from '../server.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers(10);
const times = { lease: 9_000, timeout: 1_000 };
/** Additional milliseconds allowed on a busy machine. */
const TOLERANCE = 2_000;

/** The ways in which a server goes away and comes back; after a restart it has lost all data. */
const ways = [
  {
    how: 'killed',
    away: (redis: RedisServer) => redis.kill(),
    back: (redis: RedisServer) => redis.restart(),
  },
  {
    how: 'frozen',
    away: async (redis: RedisServer) => redis.freeze(),
    back: async (redis: RedisServer) => redis.thaw(),
  },
];

interface Options {
  readonly limit: number;
  readonly lease?: number;
  readonly library?: 'node-redis' | undefined;
  readonly onStoreError?: 'reject' | 'admit' | 'local';
}

/** Starts a server, and processes that are connected to it. */
async function start(test: TestContext, count: number, options: Options) {
  const { server: redis } = await ownServer(test);
  const processes = await workers.start(count, redis, { ...times, ...options });
  for (const one of processes) await one.do('stored');
  const [one, two] = processes as [RemoteLimiter, RemoteLimiter];
  return { redis, one, two };
}

async function expectUp(...processes: RemoteLimiter[]) {
  for (const one of processes) await one.saw('store', 1, ({ up }) => up === true);
}

async function expectDown(...processes: RemoteLimiter[]) {
  for (const one of processes) {
    expect(await one.saw('store', 1, ({ up }) => up === false)).toMatchObject({
      error: { code: expect.stringMatching(/^ERR_HEADGATE_STORE_(DOWN|TIMEOUT)$/) },
    });
  }
}

/** Checks for leaks: nothing is held or queued here or in the store, and the limit can be acquired. */
async function expectQuiet(limit: number, ...processes: RemoteLimiter[]) {
  for (const one of processes) {
    const state = { inflight: 0, queued: 0, distributed: { up: true } };
    const look = async () => expect(await one.do('stats')).toMatchObject(state);
    await vi.waitFor(look, 5_000);
  }
  const one = processes[0] as RemoteLimiter;
  const look = async () => expect(await one.do('stored')).toMatchObject({ inflight: 0, queued: 0 });
  await vi.waitFor(look, times.lease + 5_000);
  for (const held of await Promise.all(Array.from({ length: limit }, () => one.acquire()))) {
    await held.release();
  }
}

const libraries = [undefined, 'node-redis'] as const;
const cases = libraries.flatMap((library) => ways.map((way) => ({ ...way, library })));

describe.concurrent.each(cases)('a $how server, with $library', ({ away, back, library }) => {
  test('reject: all callers are rejected with the reason, within the timeout, until the server is back', async (context) => {
    const { redis, one, two } = await start(context, 2, { limit: 1, library });
    const held = await one.acquire();
    const waiting = await two.wait();
    await away(redis);
    const since = performance.now();
    const refused = {
      name: 'StoreError',
      code: expect.stringMatching(/^ERR_HEADGATE_STORE_(DOWN|TIMEOUT)$/),
      reason: 'store',
    };
    await expect(two.acquire()).rejects.toMatchObject(refused);
    expect(performance.now() - since).toBeLessThan(times.timeout + TOLERANCE);
    await expectDown(two);
    await expect(waiting.held).rejects.toMatchObject(refused);
    await expect(two.acquire()).rejects.toMatchObject(refused);
    expect(await held.isAborted()).toBe(false);
    await back(redis);
    await expectUp(two);
    const look = async () => expect(await two.do('stored')).toMatchObject({ inflight: 1 });
    await vi.waitFor(look, times.lease + 5_000);
    const next = await two.wait();
    await held.release();
    await (await next.held).release();
    await expectQuiet(1, one, two);
  });

  test('admit: all callers are admitted, including waiters, and registered when the server is back', async (context) => {
    const { redis, one, two } = await start(context, 2, {
      limit: 1,
      onStoreError: 'admit',
      library,
    });
    const held = await one.acquire();
    const waiting = await two.wait();
    await away(redis);
    const since = performance.now();
    const inside = [await two.acquire(), await waiting.held];
    expect(performance.now() - since).toBeLessThan(2 * times.timeout + TOLERANCE);
    inside.push(await two.acquire());
    for (const permit of inside) expect(permit.fencing).toBe(undefined);
    expect(await two.do('stats')).toMatchObject({ inflight: 3, distributed: { up: false } });
    await back(redis);
    await expectUp(two);
    const look = async () => expect(await two.do('stored')).toMatchObject({ inflight: 4 });
    await vi.waitFor(look, times.lease + 5_000);
    const tokens = await Promise.all(inside.map((permit) => permit.token()));
    expect(new Set([...tokens, held.fencing, undefined]).size).toBe(5);
    const next = await two.wait();
    for (const permit of [held, ...inside]) await permit.release();
    await (await next.held).release();
    await expectQuiet(1, one, two);
  });

  test('local: each process enforces the limit alone, and its queue keeps its order', async (context) => {
    const { redis, one, two } = await start(context, 2, {
      limit: 2,
      onStoreError: 'local',
      library,
    });
    const held = [await one.acquire(), await one.acquire()];
    const queue = [await two.wait(), await two.wait(), await two.wait(), await two.wait()];
    const order: number[] = [];
    for (const [i, { held }] of queue.entries()) void held.then(() => order.push(i));
    await away(redis);
    await expectDown(one, two);
    const inside = [await queue[0]?.held, await queue[1]?.held];
    const last = await two.wait();
    expect(await one.do('stats')).toMatchObject({ inflight: 2 });
    await expect(one.acquire({ queueTimeout: 50 })).rejects.toMatchObject({ reason: 'timeout' });
    await inside[0]?.release();
    inside.push(await queue[2]?.held);
    expect(order).toEqual([0, 1, 2]);
    await back(redis);
    await expectUp(one, two);
    const look = async () =>
      expect(await two.do('stored')).toMatchObject({ inflight: 4, queued: 2 });
    await vi.waitFor(look, times.lease + 5_000);
    for (const permit of [...held, inside[1], inside[2]]) await permit?.release();
    const rest = [await queue[3]?.held, await last.held];
    expect(order).toEqual([0, 1, 2, 3]);
    for (const permit of rest) await permit?.release();
    await expectQuiet(2, one, two);
  });
});

test.concurrent('processes keep running if the server is down at the start, and use it once it is up', async (context) => {
  const { server: redis } = await ownServer(context);
  await redis.kill();
  const policies = ['reject', 'admit', 'local'] as const;
  const [reject, admit, local] = (await Promise.all(
    policies.map(
      async (onStoreError) =>
        (
          await workers.start(1, redis, { ...times, limit: 1, onStoreError })
        )[0],
    ),
  )) as [RemoteLimiter, RemoteLimiter, RemoteLimiter];
  await expect(reject.acquire()).rejects.toMatchObject({
    reason: 'store',
    code: 'ERR_HEADGATE_STORE_DOWN',
    cause: { message: expect.stringContaining('ECONNREFUSED') },
  });
  const held = [await admit.acquire(), await admit.acquire(), await local.acquire()];
  await expect(local.acquire({ queueTimeout: 50 })).rejects.toMatchObject({ reason: 'timeout' });
  await redis.restart();
  await expectUp(reject, admit, local);
  await (await reject.acquire()).release();
  for (const permit of held) await permit.release();
  for (const one of [reject, admit, local]) await expectQuiet(1, one);
});

test.concurrent('a holder keeps its permit if the server is frozen for less than its lease', async (context) => {
  const { redis, one } = await start(context, 1, { limit: 1 });
  const held = await one.acquire();
  redis.freeze();
  await expectDown(one);
  redis.thaw();
  await expectUp(one);
  expect(await held.isAborted()).toBe(false);
  expect(await one.do('stored')).toMatchObject({ inflight: 1 });
  await held.release();
  await expectQuiet(1, one);
});

test.concurrent('a holder whose lease is no longer certain aborts, and its release is harmless', async (context) => {
  const { redis, one, two } = await start(context, 2, { limit: 1, lease: 3_000 });
  const held = await one.acquire();
  redis.freeze();
  expect(await held.aborted()).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
  redis.thaw();
  await expectUp(one);
  await held.release();
  await (await two.acquire()).release();
  await expectQuiet(1, one, two);
});

test.concurrent('permits released while the server is unavailable are no longer held when it is back', async (context) => {
  const { redis, one, two } = await start(context, 2, { limit: 1 });
  const held = await one.acquire();
  redis.freeze();
  await expectDown(one);
  await held.release();
  const thawed = performance.now();
  redis.thaw();
  await vi.waitFor(async () => (await two.acquire()).release(), 5_000);
  expect(performance.now() - thawed).toBeLessThan(times.lease);
  await expectQuiet(1, one, two);
});

test.concurrent('a limiter can be closed while the server is unavailable', async (context) => {
  const { redis, one } = await start(context, 1, { limit: 1 });
  const held = await one.acquire();
  redis.freeze();
  await expectDown(one);
  await held.release();
  expect(await one.do('close')).toBe(0);
  await expect(one.acquire()).rejects.toMatchObject({ reason: 'closed' });
});
