import { startProxy, startRedis, startReplica } from '@headgate/test-servers';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useServer } from '../server.ts';
import { type Held, type RemoteLimiter, useWorkers, type Waiting } from './workers.ts';

const workers = useWorkers();
const lease = 2_000;
const { server: redis, admin } = await useServer();

function start(count: number, options: { limit: number; lease?: number; onStoreError?: 'local' }) {
  return workers.start(count, redis, { lease, ...options }) as Promise<
    [RemoteLimiter, RemoteLimiter, RemoteLimiter]
  >;
}

/** Waits until the store has counted this many permits again. */
function expectStored(one: RemoteLimiter, inflight: number, queued: number) {
  const look = async () => expect(await one.do('stored')).toMatchObject({ inflight, queued });
  return vi.waitFor(look, lease + 5_000);
}

/**
 * Waits until the store has counted everything again. Until all holders have reported, waiters may have been granted
 * permits, so up to twice the limit may be held.
 */
async function expectAll(
  one: RemoteLimiter,
  limit: number,
  held: readonly Held[],
  waiting: number,
) {
  const look = async () => {
    const { inflight, queued } = await one.do('stored');
    expect(inflight + queued).toBe(held.length + waiting);
    expect(inflight).toBeGreaterThanOrEqual(held.length);
    expect(inflight).toBeLessThanOrEqual(2 * limit);
  };
  await vi.waitFor(look, lease + 5_000);
  for (const permit of held) expect(await permit.isAborted()).toBe(false);
}

/** Checks that the remaining waiters are served in order of arrival. */
async function expectOrder(holders: readonly Held[], queue: readonly Waiting[]) {
  const inside = [...holders];
  const order: number[] = [];
  const served = queue.map(({ held }, i) =>
    held.then((permit) => {
      order.push(i);
      inside.push(permit);
    }),
  );
  // Answers may still be on their way; afterwards every granted waiter knows it.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const early = order.length;
  while (order.length < queue.length) {
    const before = order.length;
    await inside.shift()?.release();
    if (inside.length < holders.length)
      await vi.waitFor(() => expect(order.length).toBeGreaterThan(before), 5_000);
  }
  await Promise.all(served);
  for (const held of inside) await held.release();
  const late = order.slice(early);
  expect(late).toEqual([...late].sort((a, b) => a - b));
}

test('holders and waiters are restored after FLUSHALL, and the limit applies', async () => {
  const [one, two] = await start(2, { limit: 2 });
  const held = [await one.acquire(), await two.acquire()];
  const queue = [await two.wait(), await one.wait(), await two.wait()];
  await admin.flushall();
  await expectAll(one, 2, held, 3);
  await expectOrder(held, queue);
  await expectStored(one, 0, 0);
  await Promise.all([one.acquire(), two.acquire()]);
  await expect(one.acquire({ queueTimeout: 200 })).rejects.toMatchObject({ reason: 'timeout' });
});

test('each of several wipes grants at most n permits beyond the limit, and the excess drains', async () => {
  const [one, two] = await start(2, { limit: 2, lease: 4_000 });
  const held = [await one.acquire(), await one.acquire()];
  // It must not be the first to report.
  one.worker.freeze();
  await admin.flushall();
  const more = [await two.acquire(), await two.acquire()];
  one.worker.thaw();
  await expect(two.acquire({ queueTimeout: 200 })).rejects.toMatchObject({ reason: 'timeout' });
  await expectStored(one, 4, 0);
  const waiting = await two.wait();
  for (const permit of held) await permit.release();
  await expectStored(one, 2, 1);
  await more[0]?.release();
  await waiting.held;
  await expectStored(one, 2, 0);
});

test('a release after a wipe does not make the count negative', async () => {
  const [one, two] = await start(2, { limit: 1 });
  const held = await one.acquire();
  await admin.flushall();
  await held.release();
  await one.do('ping');
  const next = await two.acquire();
  expect(await one.do('stored')).toMatchObject({ inflight: 1 });
  await expect(one.acquire({ queueTimeout: 200 })).rejects.toMatchObject({ reason: 'timeout' });
  await next.release();
});

test('holders and waiters are restored in order after a restart of the server', async () => {
  const [one, two] = await start(2, { limit: 2, onStoreError: 'local' });
  const held = [await one.acquire(), await two.acquire()];
  const queue = [await two.wait(), await one.wait(), await two.wait(), await one.wait()];
  await redis.restart();
  await expectAll(one, 2, held, 4);
  await expectOrder(held, queue);
  await expectStored(one, 0, 0);
});

test('a limit that was declared later still applies after a wipe', async () => {
  const [one, two] = await start(2, { limit: 1 });
  const held = await one.acquire();
  const waiting = await two.wait();
  await one.do('setLimit', 2);
  const second = await waiting.held;
  await admin.flushall();
  await expectStored(two, 2, 0);
  await held.release();
  await second.release();
  await Promise.all([one.acquire(), two.acquire()]);
  expect(await two.do('stored')).toMatchObject({ limit: 2, inflight: 2 });
});

test('a replica that takes over has the holders and the queue, or receives them from the processes', async () => {
  const master = await startRedis();
  onTestFinished(() => master.stop());
  const replica = await startReplica(master);
  onTestFinished(() => replica.stop());
  const target = { port: master.port };
  const proxy = await startProxy(target);
  onTestFinished(() => proxy.stop());
  const options = { limit: 1, lease, onStoreError: 'local' as const };
  const [one, two] = (await workers.start(2, proxy, options)) as [RemoteLimiter, RemoteLimiter];
  const held = await one.acquire();
  const queue = [await two.wait(), await one.wait()];
  await master.kill();
  const boss = new Redis(replica.port, '127.0.0.1');
  await boss.replicaof('NO', 'ONE');
  boss.disconnect();
  target.port = replica.port;
  proxy.cut();
  await expectAll(one, 1, [held], 2);
  await expectOrder([held], queue);
});

test('a flushed script cache causes no error, even under load', async () => {
  const [one, two] = await start(2, { limit: 2 });
  const work = Promise.all([one.do('work', 10, 30), two.do('work', 10, 30)]);
  let isDone = false;
  void work.then(() => {
    isDone = true;
  });
  while (!isDone) await admin.script('FLUSH');
  for (const most of await work) expect(most).toBeLessThanOrEqual(2);
  expect([...one.of('store'), ...two.of('store')]).toEqual([]);
});
