import { createLimiter } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from './processes/database.ts';

// How a process is registered, so that others watch it.

const database = useDatabase();
const name = 'registered';

/** Simulates a process. */
async function start() {
  const store = postgresStore({ connect: database.url });
  const limiter = createLimiter({ name, limit: 2, store });
  limiter.observe({ store() {} });
  onTestFinished(async () => {
    await limiter.close({ timeout: 0 });
    await store.close();
  });
  await vi.waitFor(() => store.stats({ name }), 4_000);
  return { store, limiter };
}

/** The processes that are registered and hold the lock of their number. */
async function registered(): Promise<unknown[]> {
  const sql = 'SELECT owner FROM headgate.members WHERE NOT headgate.has_ended(number)';
  return (await database.rows(sql)).map(([owner]) => owner).sort();
}

function owners(...processes: Awaited<ReturnType<typeof start>>[]): string[] {
  return processes.map(({ store }) => store.owner).sort();
}

test('a process whose registration was deleted registers again and keeps its permits', async () => {
  const one = await start();
  const held = await one.limiter.acquire();
  await database.rows('TRUNCATE headgate.members');
  await vi.waitFor(async () => expect(await registered()).toEqual(owners(one)), 5_000);
  await vi.waitFor(() => one.store.stats({ name }), 5_000);
  expect(held.signal.aborted).toBe(false);
  held.release();
});

test('the schema can be dropped and created again while processes hold permits', async () => {
  const [one, two] = [await start(), await start()];
  const held = [await one.limiter.acquire(), await two.limiter.acquire()];
  await database.rows('DROP SCHEMA headgate CASCADE');
  await one.store.migrate();
  // Numbers begin again at 1, whose lock another process may still hold.
  const three = await start();
  await vi.waitFor(async () => expect(await registered()).toEqual(owners(one, two, three)), 5_000);
  await vi.waitFor(
    async () => expect(await three.store.stats({ name })).toMatchObject({ inflight: 2 }),
    5_000,
  );
  expect(held.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  for (const permit of held) permit.release();
});

/** The sessions that wait for a lock in order to register a process. */
async function waitingSessions(): Promise<unknown[]> {
  const sql = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%register(%'`;
  return (await database.rows(sql)).map(([pid]) => pid);
}

test('a process that a lock keeps from registering leaves no sessions behind', async () => {
  const one = await start();
  const held = await one.limiter.acquire();
  const locker = new pg.Client(database.url);
  await locker.connect();
  onTestFinished(() => locker.end());
  // Others can read the table, but not change it.
  await locker.query('BEGIN; LOCK TABLE headgate.members IN SHARE MODE');
  await database.rows(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'`);
  const seen = new Set<unknown>();
  await vi.waitFor(
    async () => {
      for (const pid of await waitingSessions()) seen.add(pid);
      expect(seen.size).toBe(2);
    },
    { timeout: 9_000, interval: 50 },
  );
  // The session of the first attempt ends.
  await vi.waitFor(async () => expect(await waitingSessions()).toHaveLength(1), 2_500);
  await locker.query('ROLLBACK');
  await vi.waitFor(async () => expect(await registered()).toEqual(owners(one)), 8_000);
  held.release();
}, 40_000);
