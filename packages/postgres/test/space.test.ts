import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLimiter } from '@headgate/core';
import { type PostgresStore, postgresStore } from '@headgate/postgres';
import type { Reply } from '@headgate/store-kit';
import pg from 'pg';
import { expect, onTestFinished, type TestContext, test, vi } from 'vitest';
import { type Database, useDatabase, useDatabaseBeside } from './processes/database.ts';
import { inParallel } from './processes/in-parallel.ts';
import { limitOf, requestOf } from './request.ts';

// The dead rows of operations, and how their space is reused.

const database = useDatabase();

/** Number of pages of both tables and their indexes. */
async function pages(): Promise<number> {
  const sql = `SELECT (pg_total_relation_size('headgate.limits') + pg_total_relation_size('headgate.leases'))::int / 8192`;
  return (await database.ask(sql)) as number;
}

/** A caller that acquires and releases repeatedly. */
async function cycles(store: PostgresStore, count: number): Promise<void> {
  let ref = limitOf('few pages');
  for (let i = 0; i < count; i++) {
    const lease = requestOf(store, ref);
    const [taken] = await store.send([{ verb: 'acquire', lease }], 1_000);
    expect(taken).toMatchObject({ state: 'held', inflight: 1 });
    const { version } = taken as Reply;
    if (version !== ref.version) ref = { ...ref, version };
    const [back] = await store.send([{ verb: 'release', lease }], 1_000);
    expect(back).toMatchObject({ state: 'ok', inflight: 0 });
  }
}

test('sequential callers use no more than a few pages', async () => {
  // Long leases: no operation should need lease() only because time has passed.
  const own = postgresStore({ connect: database.url });
  onTestFinished(() => own.close());
  await cycles(own, 100);
  const before = await pages();
  // Each cycle writes two row versions, and a page holds about twenty: without reuse, that would be 150 pages.
  await cycles(own, 1_500);
  expect((await pages()) - before).toBeLessThan(40);
}, 30_000);

test('new keys reuse the space of removed keys', async () => {
  // Many keys at once take time on a busy machine.
  const own = postgresStore({ connect: database.url, timeout: 3_000 });
  onTestFinished(() => own.close());
  const wave = async () => {
    const limiter = createLimiter({ name: 'keys', limit: 1, perKey: true, store: own });
    const keys = Array.from({ length: 500 }, () => crypto.randomUUID());
    await Promise.all(keys.map((key) => limiter.run(() => {}, { key })));
    await limiter.close();
    // Simulates that they have not been used for long.
    await database.rows(`UPDATE headgate.limits SET touched = 0 WHERE label LIKE '["keys"%'`);
    // One more for the name without a key.
    expect(Number(await database.ask('SELECT headgate.forget()'))).toBe(501);
    // Like autovacuum once a minute.
    await database.rows('VACUUM headgate.limits, headgate.leases');
    return pages();
  };
  await wave();
  const second = await wave();
  await wave();
  await wave();
  expect(await wave()).toBeLessThan(1.5 * second);
}, 30_000);

/** The memory in bytes that this process still uses after garbage collection. */
function heap(): number {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('rejected callers use no memory in the process afterwards', async () => {
  const own = postgresStore({ connect: database.url });
  onTestFinished(() => own.close());
  const ref = { name: 'rejected', limit: 1, version: '' };
  const size = { weight: 1, resized: false, extraTokens: 0, reserves: false };
  const round = async (at: number) => {
    const ops = Array.from({ length: 500 }, (_, i) => {
      const id = `${own.owner}.${at}.${i}.${'long'.repeat(500)}`;
      const lease = { ref, id, ...size, wait: 0, queueLimit: 0 };
      return { verb: 'acquire', lease } as const;
    });
    return new Set((await own.send(ops, 10_000)).map((reply) => 'state' in reply && reply.state));
  };
  expect(await round(0)).toEqual(new Set(['held', 'full']));
  const before = heap();
  for (let at = 1; at <= 10; at++) expect(await round(at)).toEqual(new Set(['full']));
  // Their names alone would need ten times as much.
  expect(heap() - before).toBeLessThan(1_000_000);
}, 60_000);

/** Records what a slow limit reports, and blocks VACUUM. */
async function slowedLimit(database: Database, { onTestFinished }: TestContext, begin: string) {
  const store = postgresStore({ connect: database.url, leaseDuration: 900 });
  onTestFinished(() => store.close());
  // With a lease this short, answers must be quick: connect before the first operation.
  await vi.waitFor(() => store.stats({ name: 'connects' }), 5_000);
  const said: (string | undefined)[] = [];
  const observer = { slowed: ({ reason }: { reason: string | undefined }) => said.push(reason) };
  const limiter = createLimiter({ name: 'slowed', limit: 1, store });
  limiter.observe(observer);
  onTestFinished(async () => void (await limiter.close()));
  await limiter.run(() => {});
  // The transaction stays open until the test ends it.
  const reader = new pg.Client(database.url);
  await reader.connect();
  onTestFinished(() => reader.end());
  await reader.query(begin);
  const permit = await limiter.acquire();
  onTestFinished(() => permit.release());
  await leaveDeadRows(database, 7_000);
  return { said, reader };
}

/** As many dead rows as this number of operations leaves. */
function leaveDeadRows(database: Database, count: number): Promise<unknown> {
  return database.rows(`DO $$ BEGIN
    FOR i IN 1 .. ${count} LOOP
      UPDATE headgate.limits SET touched = touched WHERE label = '["slowed"]';
      COMMIT;
    END LOOP;
  END $$`);
}

inParallel('a transaction with a snapshot', () => {
  const own = useDatabaseBeside(database);

  test('a backlog of dead rows that cannot be removed is reported with its cause, and so is its end', async (context) => {
    const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1';
    const { said, reader } = await slowedLimit(own, context, begin);
    await vi.waitFor(() => expect(said).toHaveLength(1), 15_000);
    expect(said[0]).toMatch(
      /^the transaction of the session \d+ keeps VACUUM from removing \d+ dead rows of limits$/,
    );
    const sessionOf = await reader.query('SELECT pg_backend_pid() AS pid');
    expect(said[0]).toContain(` ${sessionOf.rows[0].pid} `);
    await reader.query('ROLLBACK');
    await vi.waitFor(() => expect(said).toHaveLength(2), 15_000);
    expect(said[1]).toBeUndefined();
  }, 60_000);
});

inParallel('a transaction without a snapshot', () => {
  const own = useDatabaseBeside(database);

  test('an open transaction without a snapshot is not reported', async (context) => {
    const { said } = await slowedLimit(own, context, 'BEGIN; SELECT 1');
    // Must elapse in real time: several checks.
    await sleep(3_500);
    expect(said).toEqual([]);
  }, 60_000);
});
