import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createLimiter } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';
import { remainsOfFirst } from '@headgate/test-kit/first-request';
import { WatchedRequest } from '@headgate/test-kit/watched-request';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { useDatabase } from './processes/database.ts';
import { limitOf, requestOf } from './request.ts';

const database = useDatabase();

function limiterOf(name: string, limit: number) {
  const store = postgresStore({ connect: database.url, leaseDuration: 3_000, timeout: 1_000 });
  const limiter = createLimiter({ name, limit, queueLimit: 99, queueTimeout: 20_000, store });
  onTestFinished(async () => {
    await limiter.close();
    await store.close();
  });
  return limiter;
}

it("the store's background work does not keep the async context of the first request, which opened its connections", async () => {
  expect(await remainsOfFirst(limiterOf('first', 1), 300)).toEqual([]);
});

it('a steady stream of statements does not keep the async context of the first request', async () => {
  const limiter = limiterOf('busy', 99);
  const request = new WatchedRequest();
  let hasEnded = false;
  const busy = async () => {
    while (!hasEnded) await limiter.run(() => null);
  };
  const first = request.run(() => limiter.run(() => delay(5)));
  const others = Promise.all(Array.from({ length: 20 }, busy));
  await first;
  expect(await request.remains()).toEqual([]);
  hasEnded = true;
  await others;
});

it('connections that replace ended ones do not keep the async context of a request', async () => {
  const limiter = limiterOf('ended', 1);
  await limiter.run(() => null);
  const request = new WatchedRequest();
  await request.run(async () => {
    const permit = await limiter.acquire();
    await database.rows(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'headgate'",
    );
    permit.release();
    await limiter.run(() => null);
  });
  expect(await request.remains()).toEqual([]);
});

const tenant = new AsyncLocalStorage<string>();

/** Records the statements of all clients, each with the async context in which it is sent. */
function recordStatements(): Set<string> {
  const sent = new Set<string>();
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: readonly unknown[]
  ) {
    const { name, text = '' } = args[0] as { name?: string; text?: string };
    sent.add(`${name ?? text.split(' ', 1)} in ${tenant.getStore()}`);
    return query.apply(this, args as never);
  } as typeof query);
  onTestFinished(() => void vi.restoreAllMocks());
  return sent;
}

it('each operation is sent in the async context of its request, even if it waits for an earlier one', async () => {
  const store = postgresStore({ connect: database.url });
  onTestFinished(() => store.close());
  const send = (name: string) =>
    tenant.run(name, () =>
      store.send([{ verb: 'acquire', lease: requestOf(store, limitOf(name)) }], 20_000),
    );
  await send('connects');
  // Until nothing is sent any more, so that the next operation is sent at once, and the others together after it.
  await delay(0);
  const sent = recordStatements();
  await Promise.all(['A', 'B', 'C'].map(send));
  expect([...sent].filter((one) => !one.endsWith('undefined'))).toEqual([
    'headgate lease in A',
    'headgate leases in B',
  ]);
});

it('only operations are sent in the async context of a request, not the notifications about its release', async () => {
  const sent = recordStatements();
  const [limiter, elsewhere] = [limiterOf('sent', 1), limiterOf('sent', 1)];
  const held = await tenant.run('A', () => limiter.acquire());
  const waiting = tenant.run('B', () => elsewhere.acquire());
  await vi.waitFor(async () => expect(await elsewhere.storeStats?.()).toMatchObject({ queued: 1 }));
  tenant.run('A', () => held.release());
  (await waiting).release();
  expect(sent).toContain('headgate notify in undefined');
  expect([...sent].filter((one) => !one.endsWith('undefined'))).toEqual([
    'headgate lease in A',
    'headgate lease in B',
  ]);
});
