import { startProxy } from '@headgate/test-servers';
import { grantDelaySuite, queueSuite } from '@headgate/test-servers/processes';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useServer } from '../server.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers();
const { server: redis, admin } = await useServer();

const start = (options: { limit: number }) =>
  workers.start(2, redis, options) as Promise<[RemoteLimiter, RemoteLimiter]>;

grantDelaySuite(start);
queueSuite({
  start,
  disconnect: async (processes: readonly RemoteLimiter[]) => {
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await Promise.all(processes.map((process) => process.do('ping')));
  },
  wait: 200,
  within: 5_000,
});

async function proxied() {
  const proxy = await startProxy(redis);
  onTestFinished(() => proxy.stop());
  return proxy;
}

test('many waiters cost no more commands than a few', async () => {
  const commandsWith = async (waiters: number) => {
    const proxy = await proxied();
    const [one, two] = await workers.start(2, proxy, { limit: 1, lease: 3_000 });
    const held = await (one as RemoteLimiter).acquire();
    const waiting = Array.from({ length: waiters }, (_, i) =>
      (i % 2 === 0 ? one : two)?.acquire().catch(() => {}),
    );
    const isQueued = async () =>
      expect(await (one as RemoteLimiter).do('stored')).toMatchObject({ queued: waiters });
    await vi.waitFor(isQueued, 10_000);
    const before = proxy.commands;
    // Must elapse in real time: three renewals of each process.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return { commands: proxy.commands - before, held, waiting };
  };
  const [few, many] = await Promise.all([commandsWith(2), commandsWith(200)]);
  for (const { held } of [few, many]) void held.release();
  await workers.rest();
  await Promise.all([...few.waiting, ...many.waiting]);
  expect(many.commands).toBeLessThanOrEqual(few.commands + 4);
  expect(many.commands).toBeLessThan(20);
});

test('waiters block neither releases nor other commands of the client', async () => {
  const [one] = (await workers.start(1, redis, { limit: 1 })) as [RemoteLimiter];
  const held = await one.acquire();
  const waiting = await one.wait();
  expect(await one.do('ping')).toBe('PONG');
  await held.release();
  expect((await waiting.held).fencing).toBeGreaterThan(held.fencing as bigint);
});

test('500 waiters need two connections, and all are served', async () => {
  const proxy = await proxied();
  const [one] = (await workers.start(1, proxy, { limit: 1 })) as [RemoteLimiter];
  const held = await one.acquire();
  const waiting = Array.from({ length: 500 }, () => one.acquire());
  await one.saw('queued', 500);
  expect(proxy.connections).toBe(2);
  await held.release();
  for (const next of waiting) await (await next).release();
  await vi.waitFor(
    async () => expect(await one.do('stored')).toMatchObject({ inflight: 0, queued: 0 }),
    5_000,
  );
});

test.each(['abort', 'timeout'])(
  'a grant that arrives after its caller has given up (%s) passes to the next waiter',
  async (how) => {
    const proxy = await proxied();
    const limit = { limit: 1, lease: 20_000, timeout: 5_000 };
    const [one, three] = (await workers.start(2, redis, limit)) as [RemoteLimiter, RemoteLimiter];
    const [two] = (await workers.start(1, proxy, { ...limit, name: await nameOf(one) })) as [
      RemoteLimiter,
    ];
    const held = await one.acquire();
    const leaving = await two.wait({ queueTimeout: how === 'timeout' ? 1_500 : 20_000 });
    const next = await three.wait();
    proxy.hold(true);
    await held.release();
    // The permit is granted to the caller, which has not given up yet.
    const isGranted = async () =>
      expect(await one.do('stored')).toMatchObject({ inflight: 1, queued: 1 });
    await vi.waitFor(isGranted, 10_000);
    if (how === 'abort') await leaving.abort();
    await expect(leaving.held).rejects.toThrow();
    proxy.hold(false);
    expect((await next.held).waited).toBeLessThan(10_000);
  },
);

test('two callers that each need the whole limit are both served', async () => {
  const [one, two] = (await workers.start(2, redis, { limit: 2 })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  const both = [one.acquire({ weight: 2 }), two.acquire({ weight: 2 })];
  const first = await Promise.race(both);
  await first.release();
  const [a, b] = await Promise.all(both);
  expect(a?.fencing).not.toBe(b?.fencing);
});

async function nameOf(limiter: RemoteLimiter): Promise<string> {
  return (await limiter.do('stats')).name;
}
