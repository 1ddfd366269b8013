import { setTimeout as sleep } from 'node:timers/promises';
import { createLimiter } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';
import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { ofStores, useDatabase } from './database.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

// A process that holds no permit and has no waiter sends nothing, and needs no connection.

const database = useDatabase();
const workers = useWorkers();
const open: { close(): Promise<unknown> }[] = [];
let names = 0;

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

function scene({ idleTimeout, connecting }: { idleTimeout?: number; connecting?(): void } = {}) {
  const connect = () => {
    connecting?.();
    return new pg.Client({ connectionString: database.url, application_name: 'headgate' });
  };
  const store = postgresStore({ connect, idleTimeout });
  const name = `idle ${++names}`;
  const errors: unknown[] = [];
  const observer = { store: ({ error }: { error?: unknown }) => errors.push(error) };
  const limiter = createLimiter({ name, limit: 1, queueLimit: 10, store });
  limiter.observe(observer);
  open.push(store, limiter);
  return { store, limiter, name, errors };
}

const registered = () => database.ask('SELECT count(*)::int FROM headgate.members');

async function atRest(...others: RemoteLimiter[]): Promise<void> {
  const look = async () => expect(await registered()).toBe(others.length);
  await vi.waitFor(look, { timeout: 5_000, interval: 50 });
}

/** When each connection of the stores began its latest statement. */
const statements = () =>
  database.rows(`SELECT pid, query_start FROM pg_stat_activity WHERE ${ofStores} ORDER BY pid`);

const closed = () =>
  vi.waitFor(async () => expect(await database.connections()).toBe(0), { timeout: 6_000 });

test('a process without permits and waiters sends no statements', async () => {
  const { limiter, errors } = scene();
  const permit = await limiter.acquire();
  const busy = await statements();
  expect(busy).toHaveLength(3);
  await sleep(600);
  // It watches other processes while it holds a permit.
  expect(await statements()).not.toEqual(busy);
  permit.release();
  await atRest();
  const before = await statements();
  // Eight checks of a process that watches.
  await sleep(2_000);
  expect(await statements()).toEqual(before);
  await limiter.run(() => {});
  expect(await registered()).toBe(1);
  expect(errors).toEqual([]);
});

test("a process's connections are closed after idleTimeout, and its next request opens them again", async () => {
  const { limiter, store, name, errors } = scene({ idleTimeout: 2_000 });
  for (let i = 0; i < 2; i++) {
    await limiter.run(() => {});
    expect(await database.connections()).toBe(3);
    await closed();
  }
  // A question about the limit needs one connection, which is closed as well.
  expect(await store.stats({ name })).toMatchObject({ limit: 1, inflight: 0 });
  expect(await database.connections()).toBe(1);
  await closed();
  expect(errors).toEqual([]);
});

test('a held permit or a waiter keeps the connections open', async () => {
  const { limiter } = scene({ idleTimeout: 2_000 });
  const permit = await limiter.acquire();
  const waiting = limiter.acquire({ queueTimeout: 20_000 });
  const before = await statements();
  // Longer than idleTimeout, and shorter than the first renewal.
  await sleep(3_000);
  expect((await statements()).map(([pid]) => pid)).toEqual(before.map(([pid]) => pid));
  permit.release();
  (await waiting).release();
});

test('a request is admitted after the server has ended the connections of an idle process', async () => {
  let connections = 0;
  const { limiter, errors } = scene({ connecting: () => connections++ });
  await limiter.run(() => {});
  await atRest();
  expect(connections).toBe(3);
  await database.server.restart();
  await vi.waitFor(() => database.ask('SELECT 1'), 5_000);
  // Several attempts to reconnect.
  await sleep(1_000);
  expect(connections).toBe(3);
  await limiter.run(() => {});
  expect(connections).toBe(6);
  expect(await registered()).toBe(1);
  expect(errors).toEqual([]);
});

test('a request after an idle period waits no longer than any other for the permits of a killed process', async () => {
  const options = { limit: 1, lease: 20_000, name: 'killed meanwhile' };
  const [holder, idle] = (await workers.start(2, database, options)) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  await (await idle.acquire()).release();
  await holder.acquire();
  await atRest(holder);
  await holder.worker.kill();
  const asked = performance.now();
  await (await idle.acquire()).release();
  const took = performance.now() - asked;
  expect(took).toBeGreaterThan(900);
  expect(took).toBeLessThan(2_500);
});

test('idle processes do not delay the detection of a killed process', async () => {
  const options = { limit: 1, lease: 20_000, name: 'idle neighbours' };
  const all = await workers.start(6, database, options);
  // In order of registration; without the idle ones, the first is watched by the last.
  for (const one of all) await (await one.acquire()).release();
  const [holder, waiter] = [all[0], all[5]] as [RemoteLimiter, RemoteLimiter];
  await holder.acquire();
  const waiting = await waiter.wait();
  await atRest(holder, waiter);
  const killed = performance.now();
  await holder.worker.kill();
  await (await waiting.held).release();
  expect(performance.now() - killed).toBeLessThan(2_500);
});

test('a limit that was unused for two leases is forgotten even if no process was active meanwhile', async () => {
  const { limiter, name } = scene();
  limiter.pause();
  await expect(limiter.acquire({ queueTimeout: 300 })).rejects.toMatchObject({
    code: 'ERR_HEADGATE_REJECTED',
  });
  await limiter.close();
  await atRest();
  await database.rows('UPDATE headgate.limits SET touched = 0');
  const store = postgresStore({ connect: database.url });
  open.push(store);
  const later = createLimiter({ name, limit: 1, queueLimit: 1, store });
  open.push(later);
  await later.run(() => {}, { queueTimeout: 2_000 });
});
