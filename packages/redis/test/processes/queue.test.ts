import { startProxy } from '@headgate/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useServer } from '../server.ts';
import { type Held, type Limited, useCrew, type Waiting } from './crew.ts';

const crew = useCrew();
const { server: redis, admin } = await useServer();

async function proxied() {
  const proxy = await startProxy(redis);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/** Releases one permit after the other; returns the index of each waiter that was granted next. */
async function orderOf(first: Held, queue: readonly Waiting[]): Promise<number[]> {
  const order: number[] = [];
  const left = new Map(queue.map(({ held }, i) => [i, held.then((permit) => ({ i, permit }))]));
  for (let last = first; left.size > 0; ) {
    await last.release();
    const { i, permit } = await Promise.race(left.values());
    left.delete(i);
    order.push(i);
    last = permit;
  }
  return order;
}

test('many waiters cost no more commands than a few', async () => {
  const commandsWith = async (waiters: number) => {
    const proxy = await proxied();
    const [one, two] = await crew.start(2, proxy, { limit: 1, lease: 3_000 });
    const held = await (one as Limited).acquire();
    const waiting = Array.from({ length: waiters }, (_, i) =>
      (i % 2 === 0 ? one : two)?.acquire().catch(() => {}),
    );
    const isQueued = async () =>
      expect(await (one as Limited).do('stored')).toMatchObject({ queued: waiters });
    await vi.waitFor(isQueued, 10_000);
    const before = proxy.commands;
    // Must elapse in real time: three renewals of each process.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return { commands: proxy.commands - before, held, waiting };
  };
  const [few, many] = await Promise.all([commandsWith(2), commandsWith(200)]);
  for (const { held } of [few, many]) void held.release();
  await crew.rest();
  await Promise.all([...few.waiting, ...many.waiting]);
  expect(many.commands).toBeLessThanOrEqual(few.commands + 4);
  expect(many.commands).toBeLessThan(20);
});

test('a waiter is granted within 50 ms of the release in another process', async () => {
  const [one, two] = (await crew.start(2, redis, { limit: 1 })) as [Limited, Limited];
  const delays: number[] = [];
  for (let i = 0; i < 11; i++) {
    const held = await one.acquire();
    const { held: next } = await two.wait();
    const released = await held.release();
    const permit = await next;
    delays.push(permit.at - released);
    await permit.release();
  }
  expect(delays.sort((a, b) => a - b)[5]).toBeLessThan(50);
});

test('a timeout and an abort leave the queue, and the full limit can be acquired', async () => {
  const [one, two] = (await crew.start(2, redis, { limit: 2 })) as [Limited, Limited];
  const holders = [await one.acquire(), await two.acquire()];
  const leaving = await two.wait();
  await expect(one.acquire({ queueTimeout: 200 })).rejects.toMatchObject({ reason: 'timeout' });
  await leaving.abort();
  await expect(leaving.held).rejects.toThrow('the caller has withdrawn');
  await two.saw('withdrawn');
  await vi.waitFor(async () => expect(await one.do('stored')).toMatchObject({ queued: 0 }), 5_000);
  for (const held of holders) await held.release();
  await Promise.all([one.acquire(), two.acquire()]);
  await vi.waitFor(
    async () => expect(await one.do('stored')).toMatchObject({ inflight: 2 }),
    5_000,
  );
});

test('waiters block neither the release nor other commands of the client', async () => {
  const [one] = (await crew.start(1, redis, { limit: 1 })) as [Limited];
  const held = await one.acquire();
  const waiting = await one.wait();
  expect(await one.do('ping')).toBe('PONG');
  await held.release();
  expect((await waiting.held).fencing).toBeGreaterThan(held.fencing as bigint);
});

test('500 waiters need two connections, and all are served', async () => {
  const proxy = await proxied();
  const [one] = (await crew.start(1, proxy, { limit: 1 })) as [Limited];
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
    const [one, three] = (await crew.start(2, redis, limit)) as [Limited, Limited];
    const [two] = (await crew.start(1, proxy, { ...limit, name: await nameOf(one) })) as [Limited];
    const held = await one.acquire();
    const leaving = await two.wait({ queueTimeout: how === 'timeout' ? 300 : 20_000 });
    const next = await three.wait();
    proxy.hold(true);
    await held.release();
    if (how === 'abort') await leaving.abort();
    await expect(leaving.held).rejects.toThrow();
    proxy.hold(false);
    expect((await next.held).waited).toBeLessThan(10_000);
  },
);

test('a queue over two processes is served in order of arrival', async () => {
  const [one, two] = (await crew.start(2, redis, { limit: 1 })) as [Limited, Limited];
  const held = await one.acquire();
  const queue: Waiting[] = [];
  for (let i = 0; i < 12; i++) queue.push(await (i % 3 === 0 ? one : two).wait());
  expect(await orderOf(held, queue)).toEqual(queue.map((_, i) => i));
});

test('a waiter whose connections were killed keeps its place', async () => {
  const [one, two] = (await crew.start(2, redis, { limit: 1 })) as [Limited, Limited];
  const held = await one.acquire();
  const queue = [await two.wait(), await one.wait(), await two.wait(), await one.wait()];
  await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await Promise.all([one, two].map((process) => process.do('ping')));
  expect(await orderOf(held, queue)).toEqual([0, 1, 2, 3]);
});

test('two callers that each need the whole limit are both served', async () => {
  const [one, two] = (await crew.start(2, redis, { limit: 2 })) as [Limited, Limited];
  const both = [one.acquire({ weight: 2 }), two.acquire({ weight: 2 })];
  const first = await Promise.race(both);
  await first.release();
  const [a, b] = await Promise.all(both);
  expect(a?.fencing).not.toBe(b?.fencing);
});

test('a large weight is not starved by small ones that arrive later', async () => {
  const [one, two] = (await crew.start(2, redis, { limit: 3 })) as [Limited, Limited];
  const small = [await one.acquire(), await two.acquire()];
  const large = await one.wait({ weight: 3 });
  const later = await two.wait();
  await small[0]?.release();
  await vi.waitFor(
    async () => expect(await one.do('stored')).toMatchObject({ inflight: 1 }),
    5_000,
  );
  expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 2 });
  await small[1]?.release();
  await (await large.held).release();
  await later.held;
});

async function nameOf(limited: Limited): Promise<string> {
  return (await limited.do('stats')).name;
}
