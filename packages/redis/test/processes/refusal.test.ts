import { redisStore } from '@headgate/redis';
import { startReplica } from '@headgate/test-servers';
import { expect, test, vi } from 'vitest';
import { ownServer, useServer } from '../server.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers(12);
const { server: redis, admin } = await useServer();

const policies = ['reject', 'admit', 'local'] as const;

/** Starts one process for each policy, with a server that responds with errors. */
async function startEach(server: { readonly port: number }, options: object = {}) {
  const started = policies.map((onStoreError) =>
    workers.start(1, server, { limit: 1, onStoreError, ...options }),
  );
  return (await Promise.all(started)).flat() as [RemoteLimiter, RemoteLimiter, RemoteLimiter];
}

/** Checks that each process follows its policy, and has no permits left. */
async function expectPolicies(
  [reject, admit, local]: readonly [RemoteLimiter, RemoteLimiter, RemoteLimiter],
  word: string,
) {
  await expect(reject.acquire()).rejects.toMatchObject({
    name: 'StoreError',
    code: 'ERR_HEADGATE_STORE_REFUSED',
    reason: 'store',
    message: expect.stringContaining(word),
    cause: { message: expect.stringContaining(word) },
  });
  const held = [await admit.acquire(), await admit.acquire(), await local.acquire()];
  await expect(local.acquire({ queueTimeout: 50 })).rejects.toMatchObject({ reason: 'timeout' });
  for (const permit of held) {
    expect(permit.fencing).toBe(undefined);
    await permit.release();
  }
  await (await local.acquire()).release();
  for (const one of [reject, admit, local]) {
    expect(await one.do('stats')).toMatchObject({ inflight: 0, queued: 0 });
  }
}

test.concurrent('onStoreError applies to WRONGTYPE, when the key of the limit has another type', async () => {
  const name = 'of another kind';
  await admin.set(`headgate:{${name}}`, 'theirs');
  const processes = await startEach(redis, { name });
  await expectPolicies(processes, 'WRONGTYPE');
  expect(await admin.get(`headgate:{${name}}`)).toBe('theirs');
  await admin.del(`headgate:{${name}}`);
  for (const one of processes) {
    const held = await one.acquire();
    expect(held.fencing).toBeGreaterThan(0n);
    await held.release();
  }
});

test.concurrent('onStoreError applies to READONLY, when the client is connected to a replica', async (context) => {
  const { server: master } = await ownServer(context);
  const replica = await startReplica(master);
  context.onTestFinished(() => replica.stop());
  await expectPolicies(await startEach(replica), 'READONLY');
});

test.concurrent('onStoreError applies to NOAUTH, without waiting, when the client has no password', async (context) => {
  const timeout = 5_000;
  const { server } = await ownServer(context, '--requirepass', 'secret');
  const processes = await startEach(server, { lease: 3 * timeout, timeout });
  const since = performance.now();
  await expectPolicies(processes, 'NOAUTH');
  // A client that retries to connect must not make each of these calls wait.
  expect(performance.now() - since).toBeLessThan(timeout);
});

test.concurrent('onStoreError applies to OOM, while held leases can be renewed and released', async (context) => {
  const { server, admin } = await ownServer(context);
  const [one] = (await workers.start(1, server, { limit: 2, lease: 900 })) as [RemoteLimiter];
  const held = await one.acquire();
  await admin.config('SET', 'maxmemory', '1');
  await expectPolicies(await startEach(server), 'OOM');
  // Longer than the lease.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await held.isAborted()).toBe(false);
  await held.release();
  await vi.waitFor(
    async () => expect(await one.do('stored')).toMatchObject({ inflight: 0 }),
    5_000,
  );
  await admin.config('SET', 'maxmemory', '0');
  await (await one.acquire()).release();
});

test.concurrent("onStoreError applies to BUSY, while another program's script runs", async (context) => {
  const { server, admin } = await ownServer(context, '--busy-reply-threshold', '50');
  const other = admin.duplicate();
  context.onTestFinished(() => other.disconnect());
  const processes = await startEach(server);
  for (const one of processes) await (await one.acquire()).release();
  await admin.ping();
  const endless = other.eval('while true do end', 0).catch(() => {});
  await vi.waitFor(() => expect(admin.ping()).rejects.toThrow('BUSY'), 5_000);
  await expectPolicies(processes, 'BUSY');
  await admin.script('KILL');
  await endless;
  for (const one of processes) await (await one.acquire()).release();
});

test.concurrent('onStoreError applies after the app has closed the client', async () => {
  const processes = await startEach(redis);
  for (const one of processes) await (await one.acquire()).release();
  for (const one of processes) await one.do('quit');
  const [reject, admit, local] = processes;
  await expect(reject.acquire()).rejects.toMatchObject({
    name: 'StoreError',
    code: 'ERR_HEADGATE_STORE_DOWN',
    reason: 'store',
    cause: { message: expect.stringContaining('closed') },
  });
  const held = [await admit.acquire(), await admit.acquire(), await local.acquire()];
  await expect(local.acquire({ queueTimeout: 50 })).rejects.toMatchObject({ reason: 'timeout' });
  for (const permit of held) await permit.release();
  for (const one of processes) {
    expect(await one.do('stats')).toMatchObject({
      inflight: 0,
      queued: 0,
      distributed: { up: false },
    });
  }
});

test.concurrent('an error response does not count as an outage: holders keep their permits', async () => {
  const name = 'taken later';
  const [one, two] = (await workers.start(2, redis, { limit: 2, name })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  const held = await one.acquire();
  await admin.set(`headgate:{${name}}`, 'theirs');
  await expect(two.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_REFUSED' });
  expect(await held.isAborted()).toBe(false);
  expect(two.of('store')).toMatchObject([
    { up: true, error: { code: 'ERR_HEADGATE_STORE_REFUSED' } },
  ]);
  await held.release();
});

test.each([
  ['no client', {}],
  ['an unsupported client', { client: { status: 'ready' } }],
  ['%s is rejected at construction', { client: null }],
])('%s is refused at construction', (_, options) => {
  expect(() => redisStore(options as never)).toThrow(
    expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option: 'client' }),
  );
});

test.concurrent('a lease that is too short to be renewed is rejected at construction', () => {
  for (const options of [
    { leaseDuration: 50 },
    { leaseDuration: 600, timeout: 300 },
    { leaseDuration: Number.NaN },
  ]) {
    expect(() => redisStore({ client: admin, ...options })).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option: 'leaseDuration' }),
    );
  }
});

test.concurrent('permits admitted while the server responded with errors are registered afterwards', async (context) => {
  const { server, admin } = await ownServer(context);
  const [, admit, local] = await startEach(server, { lease: 3_000 });
  await admin.config('SET', 'maxmemory', '1');
  const held = [await admit.acquire(), await local.acquire()];
  await admin.config('SET', 'maxmemory', '0');
  for (const one of [admit, local]) {
    const other = one.acquire({ queueTimeout: 200 }).catch(() => undefined);
    await (await other)?.release();
  }
  for (const one of [admit, local]) {
    const look = async () => expect(await one.do('stored')).toMatchObject({ inflight: 1 });
    await vi.waitFor(look, 6_000);
  }
  for (const permit of held) await permit.release();
});

test.concurrent('the observer is notified of a server that responds with errors', async (context) => {
  const { server } = await ownServer(context, '--maxmemory', '1');
  const [reject, admit, local] = await startEach(server);
  await expect(reject.acquire()).rejects.toMatchObject({ reason: 'store' });
  const held = [await admit.acquire(), await local.acquire()];
  for (const one of [reject, admit, local]) {
    expect(one.of('store')).toMatchObject([{ error: { code: 'ERR_HEADGATE_STORE_REFUSED' } }]);
  }
  for (const permit of held) await permit.release();
});
