import { startProxy } from '@headgate/test-servers';
import { cutSuite, expectFullLimitAvailable } from '@headgate/test-servers/processes';
import { describe, expect, test, vi } from 'vitest';
import { ownServer, useServer } from '../server.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers(10);
const lease = 2_000;
const { server: redis, admin } = await useServer();

/** Milliseconds until the whole limit is available, after its leases have expired. */
const back = lease + 5_000;

describe.concurrent('connections that break', () => {
  cutSuite({
    start: (proxy, options) => workers.start(2, proxy, { lease, ...options }),
    server: () => redis,
    ...{ delay: 5, step: 3, back },
  });
});

test.concurrent('a process that may not subscribe is served later, and reports the reason', async () => {
  await admin.call(
    'ACL',
    'SETUSER',
    'deaf',
    'on',
    '>secret',
    '~*',
    '+@all',
    '-subscribe',
    'resetchannels',
  );
  const client = { username: 'deaf', password: 'secret' };
  const [one, two] = (await workers.start(2, redis, { limit: 1, lease, client })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  const held = await one.acquire();
  const queue = [await two.wait(), await two.wait()];
  await held.release();
  for (const { held } of queue) await (await held).release();
  await expectFullLimitAvailable(one, 1, back);
  for (const process of [one, two]) {
    expect(await process.saw('store')).toMatchObject({
      up: true,
      error: { code: 'ERR_HEADGATE_STORE_REFUSED', message: expect.stringContaining('NOPERM') },
    });
    expect(await process.do('isMuted')).toBe(true);
  }
  await admin.call('ACL', 'SETUSER', 'deaf', '+subscribe', 'allchannels');
  for (const process of [one, two]) {
    expect(await process.saw('store', 2)).toMatchObject({ up: true, error: undefined });
    expect(await process.do('isMuted')).toBe(false);
    expect(process.of('store')).toHaveLength(2);
  }
});

test.concurrent('a pause of the server shorter than the timeout does not count as an outage', async (context) => {
  const { server, admin } = await ownServer(context);
  const [one, two] = (await workers.start(2, server, { limit: 1 })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  const held = await one.acquire();
  const waiting = await two.wait();
  await admin.client('PAUSE', 500, 'ALL');
  await held.release();
  await (await waiting.held).release();
  expect([...one.of('store'), ...two.of('store')]).toEqual([]);
  await expectFullLimitAvailable(one, 1, back);
});

test.concurrent('half-open connections are an outage only for their own process', async ({
  onTestFinished,
}) => {
  const proxy = await startProxy(redis);
  onTestFinished(() => proxy.stop());
  const options = { limit: 1, lease: 3_000, timeout: 1_000, name: 'half open' };
  const [cut] = (await workers.start(1, proxy, { ...options, onStoreError: 'local' })) as [
    RemoteLimiter,
  ];
  const [one, two] = (await workers.start(2, redis, options)) as [RemoteLimiter, RemoteLimiter];
  const held = await one.acquire();
  const queue = [await cut.wait(), await two.wait()];
  proxy.hold(true);
  await cut.saw('store', 1, ({ up }) => up === false);
  const alone = await queue[0]?.held;
  expect(alone?.fencing).toBe(undefined);
  await held.release();
  const next = await queue[1]?.held;
  expect(two.of('store')).toEqual([]);
  proxy.hold(false);
  await cut.saw('store', 1, ({ up }) => up === true);
  await vi.waitFor(
    async () => expect(await two.do('stored')).toMatchObject({ inflight: 2 }),
    8_000,
  );
  const late = await cut.wait();
  await alone?.release();
  await next?.release();
  await (await late.held).release();
  await expectFullLimitAvailable(one, 1, back);
});

test.concurrent('waiters and holders are notified when the app closes its client', async () => {
  const [one, two] = (await workers.start(2, redis, { limit: 1, lease })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  const held = await one.acquire();
  const waiting = await two.wait();
  await two.do('quit');
  await expect(waiting.held).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
  await one.do('quit');
  expect(await held.aborted()).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
  await held.release();
  expect(await one.do('stats')).toMatchObject({ inflight: 0 });
});

test.concurrent('queueLimit counts the waiters of all processes', async () => {
  const [one, two] = (await workers.start(2, redis, { limit: 1, queueLimit: 2 })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  const held = await one.acquire();
  const queue = [await one.wait(), await two.wait()];
  for (const process of [one, two]) {
    await expect(process.acquire()).rejects.toMatchObject({ reason: 'full' });
  }
  await queue[0]?.abort();
  await one.saw('withdrawn');
  await vi.waitFor(async () => expect(await two.do('stored')).toMatchObject({ queued: 1 }), 5_000);
  queue.push(await two.wait());
  await held.release();
  for (const { held } of queue.slice(1)) await (await held).release();
});

test.concurrent('an adjusted weight counts in all processes, also after a loss of all data', async (context) => {
  const { server, admin } = await ownServer(context);
  const [one, two] = (await workers.start(2, server, { limit: 3, lease })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  const held = await one.acquire();
  await held.adjust(3);
  const stored = (inflight: number, queued: number) =>
    vi.waitFor(
      async () => expect(await two.do('stored')).toMatchObject({ inflight, queued }),
      lease + 5_000,
    );
  await stored(3, 0);
  const waiting = await two.wait({ weight: 2 });
  await admin.flushall();
  await stored(3, 1).catch(() => stored(5, 0));
  await held.adjust(1);
  const other = await waiting.held;
  await stored(3, 0);
  await held.release();
  await other.release();
  await expectFullLimitAvailable(one, 3, back);
});
