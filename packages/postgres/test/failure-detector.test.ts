import { createLimiter } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';
import pg from 'pg';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from './processes/database.ts';

// Race conditions of the failure detector that separate processes would rarely hit.

const database = useDatabase();
const now = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`;
const minute = 60_000_000;

beforeEach(async () => {
  await database.rows('TRUNCATE headgate.limits, headgate.leases, headgate.members');
  await database.rows(
    `INSERT INTO headgate.members (number, owner) OVERRIDING SYSTEM VALUE VALUES (1, 'dead'), (2, 'live')`,
  );
});

async function connection(): Promise<pg.Client> {
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Creates `count` limits, each with one lease of the dead process; `soonest` is in microseconds from now. */
function fill(count: number, soonest: number): Promise<unknown> {
  return database.rows(`
    INSERT INTO headgate.limits (address, label, most, version, queued, tail, born, longest, reserving, inflight, token,
      soonest, touched, fresh)
    SELECT 'limit ' || i, '["limit"]', 2, 1, 0, 0, 1, ${minute}, false, 1, 5, ${now} + ${soonest}, ${now},
      jsonb_build_object('dead.' || i, jsonb_build_array(1, ${now} + ${minute}, 5, 0, false))
    FROM generate_series(1, ${count}) AS i`);
}

/** The number of the dead process's leases that last longer than they should. */
function long(): Promise<unknown> {
  return database.ask(`
    SELECT count(*)::int FROM (
      SELECT expires FROM headgate.leases WHERE id LIKE 'dead.%'
      UNION ALL SELECT (f.value ->> 1)::bigint FROM headgate.limits AS l, jsonb_each(l.fresh) AS f
    ) AS t WHERE expires > ${now} + 1500000`);
}

test("a dead process's lease is found even while another process moves it", async () => {
  await fill(1, 0);
  const other = await connection();
  await other.query('BEGIN');
  await other.query(
    `SELECT headgate.lease('limit 1', '["limit"]', 2, 1, 2, 0, ${minute}, 'live', '{}')`,
  );
  const watching = database.ask('SELECT headgate.watch(2)');
  const waiting = `SELECT count(*)::int FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%watch%'`;
  await vi.waitFor(async () => expect(await database.ask(waiting)).toBe(1), 5_000);
  await other.query('COMMIT');
  expect(await watching).toBe('dead');
  expect(await long()).toBe(0);
});

test('all leases of a dead process expire soon, and are counted once', async () => {
  await fill(1, minute);
  await database.rows(`
    INSERT INTO headgate.leases (limit_id, id, weight, ends, expires, place, fencing, spare, reserves)
    SELECT id, 'dead.1', 1, soonest, soonest, NULL, 5, 0, false FROM headgate.limits
    UNION ALL SELECT id, 'dead.2', 1, soonest, soonest, 1, NULL, 0, false FROM headgate.limits`);
  await database.rows('UPDATE headgate.limits SET inflight = 2, queued = 1');
  expect(await database.ask('SELECT headgate.watch(2)')).toBe('dead');
  const soon = `${now} + 1500000`;
  const sql = `
    SELECT l.inflight::int, l.soonest < ${soon}, count(*)::int, max(t.ends) < ${soon}, max(t.expires) < ${soon}
    FROM headgate.limits AS l JOIN headgate.leases AS t ON t.limit_id = l.id GROUP BY l.inflight, l.soonest`;
  expect((await database.rows(sql))[0]).toEqual([1, true, 2, true, true]);
});

test('many leases of a dead process are shortened in batches, each of which finishes in time', async () => {
  await fill(1_200, minute);
  const looks: unknown[] = [];
  const done = `SELECT count(*)::int FROM headgate.limits WHERE fresh = '{}'`;
  while ((await database.ask('SELECT count(*)::int FROM headgate.members')) === 2) {
    expect(await database.ask('SELECT headgate.watch(2)')).toBe('dead');
    looks.push(await database.ask(done));
  }
  expect(looks).toEqual([500, 1_000, 1_200]);
  expect(await long()).toBe(0);
});

test('unused limits are removed as fast as they can be created', async () => {
  await database.rows('TRUNCATE headgate.members');
  await fill(4_000, -1);
  await database.rows(`
    UPDATE headgate.limits SET inflight = 0, fresh = '{}', touched = 0, soonest = ${now} + ${minute}
    WHERE id % 4 > 0`);
  const left = (what: string) =>
    database.ask(`SELECT count(*)::int FROM headgate.limits WHERE ${what}`);
  // Three checks are needed; with one per lease, they would take longer than this waits.
  const store = postgresStore({ connect: database.url, leaseDuration: 4_000 });
  onTestFinished(() => store.close());
  const limiter = createLimiter({ name: 'in use', limit: 1, store });
  await limiter.run(async () => {
    // A process that finds no other one removes as many as one statement may.
    expect(await left('touched = 0')).toBe(2_000);
    await vi.waitFor(async () => {
      expect([await left('touched = 0'), await left('soonest < touched')]).toEqual([0, 0]);
    }, 8_000);
  });
});

test('every limit of a dead process is swept a second later, regardless of their number', async () => {
  await database.rows('DELETE FROM headgate.members WHERE number = 2');
  await fill(450, minute);
  const store = postgresStore({ connect: database.url });
  onTestFinished(() => store.close());
  await vi.waitFor(() => store.stats({ name: 'connects' }), 5_000);
  // Less than the lease duration, after which the first process sweeps for all. The store is not used any more.
  await vi.waitFor(async () => {
    const used = 'SELECT count(*)::int FROM headgate.limits WHERE inflight > 0';
    expect(await database.ask(used)).toBe(0);
  }, 6_000);
});

test('a dead process is detected even if the process that should watch it is stopped', async () => {
  await database.rows('DELETE FROM headgate.members WHERE number = 2');
  await fill(1, minute);
  // It holds the lock of its number and performs no checks.
  await (await connection()).query(`SELECT headgate.register('stopped')`);
  const live = await connection();
  const [number] = (
    await live.query({ text: `SELECT headgate.register('live')`, rowMode: 'array' })
  ).rows[0] as [number];
  expect(await database.ask('SELECT headgate.watch($1)', number)).toBe('dead');
  expect(await long()).toBe(0);
});
