import { expect, test, vi } from 'vitest';
import { useServer } from '../server.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

// Problems that Sidekiq's concurrent limiter has fixed over the years. lease.test.ts covers expiry and reclaiming.

const workers = useWorkers();
const { server: redis, admin } = await useServer();

test('a caller that acquires a second permit counts exactly twice', async () => {
  const [one, two] = (await workers.start(2, redis, { limit: 2 })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  const outer = await one.acquire();
  const inner = await one.acquire();
  await expect(two.acquire({ queueTimeout: 200 })).rejects.toMatchObject({ reason: 'timeout' });
  await inner.release();
  const other = await two.acquire();
  expect(await one.do('stored')).toMatchObject({ inflight: 2, holders: 2 });
  await outer.release();
  await other.release();
  await vi.waitFor(
    async () => expect(await one.do('stored')).toMatchObject({ inflight: 0 }),
    5_000,
  );
  for (const process of [one, two]) {
    expect(await process.do('stats')).toMatchObject({ distributed: { lost: 0, reclaimed: 0 } });
  }
});

test('no call fails under contention by many processes and with many names', async () => {
  const processes = await workers.start(4, redis, { limit: 2, name: 'contended' });
  const others = await workers.start(2, redis, { limit: 1, name: 'next to it' });
  const most = await Promise.all([...processes, ...others].map((one) => one.do('work', 15, 20)));
  for (const here of most) expect(here).toBeLessThanOrEqual(2);
  for (const one of [...processes, ...others]) {
    expect(one.of('store')).toEqual([]);
    const { admitted, rejected, distributed: shared } = await one.do('stats');
    expect(admitted).toBe(300);
    expect(Object.values(rejected).every((count) => count === 0)).toBe(true);
    expect(shared).toMatchObject({ up: true, reclaimed: 0, lost: 0 });
  }
});

test("waiters may wait longer than the client's command timeout", async () => {
  const client = { commandTimeout: 500, maxRetriesPerRequest: 0 };
  const [one, two] = (await workers.start(2, redis, { limit: 1, client, lease: 1_500 })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  const held = await one.acquire();
  const waiting = await two.wait();
  // Longer than the command timeout; must elapse in real time.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(two.of('store')).toEqual([]);
  await held.release();
  expect((await waiting.held).waited).toBeGreaterThan(1_000);
});

test('limiters created before their client has connected share the limit', async () => {
  const client = { lazyConnect: true };
  const processes = await workers.start(3, redis, { limit: 1, client, queueLimit: 0 });
  const settled = await Promise.allSettled(processes.map((one) => one.acquire()));
  expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
});

test.each([
  { stringNumbers: true },
  { keyPrefix: 'app:' },
  { enableOfflineQueue: false },
  { enableAutoPipelining: true },
])('clients created with %o use the same limit as other clients', async (client) => {
  const name = `options ${JSON.stringify(client)}`;
  const both = { limit: 1, name, client };
  const [one, two] = (await workers.start(2, redis, both)) as [RemoteLimiter, RemoteLimiter];
  // Rejected until then, except for the last two.
  const held = await vi.waitFor(() => one.acquire(), 5_000);
  await vi.waitFor(() => two.do('stored'), 5_000);
  const waiting = await two.wait();
  await held.release();
  await (await waiting.held).release();
});

test('limits in different databases are independent', async () => {
  const name = 'two worlds';
  const [one] = (await workers.start(1, redis, { limit: 1, name })) as [RemoteLimiter];
  const [two] = (await workers.start(1, redis, { limit: 1, name, client: { db: 3 } })) as [
    RemoteLimiter,
  ];
  const held = [await one.acquire(), await two.acquire()];
  const waiting = await two.wait();
  await held[1]?.release();
  await waiting.held;
  expect(await one.do('stored')).toMatchObject({ inflight: 1, queued: 0 });
});

test('a process that has closed its store leaves no connection', async () => {
  const connections = async () =>
    String(await admin.client('LIST'))
      .trim()
      .split('\n').length;
  // Counts only this test's connections; those of earlier tests end when the server notices.
  const alone = () => vi.waitFor(async () => expect(await connections()).toBe(1), 5_000);
  await alone();
  const [one] = (await workers.start(1, redis, { limit: 1 })) as [RemoteLimiter];
  await (await one.acquire()).release();
  expect(await connections()).toBeGreaterThan(1);
  await workers.rest();
  await alone();
});
