import { firstOf, startBehindProxy } from '@headgate/test-servers/processes';
import { expect, test, vi } from 'vitest';
import { ownServer, useServer } from '../server.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers(10);
const lease = 1_500;
const { server: redis, admin } = await useServer();

function start(count: number, options: { limit: number; perKey?: boolean }) {
  return workers.start(count, redis, { lease, ...options }) as Promise<
    [RemoteLimiter, RemoteLimiter, RemoteLimiter]
  >;
}

const threeLeases = () => new Promise((resolve) => setTimeout(resolve, 3 * lease));

test.concurrent('work that takes three leases keeps its permit', async () => {
  const [one, two] = await start(2, { limit: 1 });
  const held = await one.acquire();
  const waiting = await two.wait();
  await threeLeases();
  expect(await held.isAborted()).toBe(false);
  expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 1 });
  expect(one.of('lost')).toEqual([]);
  await held.release();
  expect((await waiting.held).fencing).toBeGreaterThan(held.fencing as bigint);
});

test.concurrent('tokens increase from permit to permit, over all processes, and after a period without use', async (context) => {
  const { server, admin } = await ownServer(context);
  const [one, two] = (await workers.start(2, server, { limit: 1, lease })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  let last = 0n;
  for (let i = 0; i < 6; i++) {
    const held = await (i % 2 === 0 ? one : two).acquire();
    expect(held.fencing).toBeGreaterThan(last);
    last = held.fencing as bigint;
    await held.release();
    if (i === 3) await admin.flushall();
  }
});

test.concurrent('a holder that cannot reach the store aborts before its lease expires in the store', async (context) => {
  const options = { limit: 1, lease, name: 'out of reach' };
  const scene = await startBehindProxy(context, redis, (server) =>
    workers.start(1, server, options),
  );
  scene.proxy.hold(true);
  expect(await firstOf(scene)).toBe('ERR_HEADGATE_LEASE_LOST');
  await scene.waiting.held;
});

test.concurrent('a lease removed by another program is noticed at its next renewal', async () => {
  const [one, two] = await start(2, { limit: 1 });
  const held = await one.acquire();
  const key = `headgate:{${(await one.do('stats')).name}}`;
  const members = await admin.zrangebyscore(key, 0, '1e14');
  await admin.zrem(key, ...members);
  expect(await held.aborted()).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
  expect(await one.do('stats')).toMatchObject({ inflight: 1, distributed: { lost: 1 } });
  await held.release();
  expect(await one.do('stats')).toMatchObject({ inflight: 0 });
  await two.do('stats');
});

test.concurrent('processes whose clocks differ by an hour share a limit correctly', async () => {
  const [one, two, three] = await start(3, { limit: 1 });
  await one.do('skew', 3_600_000);
  await two.do('skew', -3_600_000);
  const held = await one.acquire();
  const queue = [await two.wait(), await three.wait(), await one.wait()];
  await threeLeases();
  expect(await held.isAborted()).toBe(false);
  expect(await three.do('stored')).toMatchObject({ inflight: 1, queued: 3 });
  expect((await three.do('stored')).longestWait).toBeLessThan(60_000);
  for (let last = held, i = 0; i < queue.length; i++) {
    await last.release();
    last = (await queue[i]?.held) as typeof held;
  }
});

test.concurrent('keys expire when the limit is unused, and not before', async (context) => {
  const { server, admin } = await ownServer(context);
  const options = { limit: 1, lease, perKey: true };
  const [one] = (await workers.start(1, server, options)) as [RemoteLimiter];
  const held = await one.acquire({ key: 'kept' });
  for (const key of ['0', 'a', 'b']) await (await one.acquire({ key })).release();
  const waiting = await one.wait({ key: 'kept' });
  for (const key of await admin.keys('*')) expect(await admin.pttl(key)).toBeGreaterThan(0);
  await threeLeases();
  // The key in use, and the name without a key.
  await vi.waitFor(async () => expect(await admin.dbsize()).toBe(2), 5_000);
  expect(await one.do('stored', 'kept')).toMatchObject({ inflight: 1, queued: 1 });
  await held.release();
  await (await waiting.held).release();
  await vi.waitFor(async () => expect(await admin.dbsize()).toBe(0), 5_000);
  expect(await one.do('stats')).toMatchObject({ keys: 0 });
});

test.concurrent('renewed leases are never reclaimed, however many callers there are', async () => {
  const [one, two] = await start(2, { limit: 5 });
  const held = await Promise.all(Array.from({ length: 5 }, () => one.acquire()));
  const waiting = await Promise.all(Array.from({ length: 20 }, () => two.wait()));
  await threeLeases();
  for (const process of [one, two]) {
    expect(await process.do('stats')).toMatchObject({ distributed: { reclaimed: 0, lost: 0 } });
  }
  for (const permit of held) await permit.release();
  for (const { held } of waiting) await (await held).release();
});
