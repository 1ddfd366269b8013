import { setTimeout as sleep } from 'node:timers/promises';
import { grantDelaySuite, queueSuite } from '@headgate/test-servers/processes';
import { expect, test, vi } from 'vitest';
import { type Database, ofStores, useDatabase, useDatabaseBeside } from './database.ts';
import { inParallel } from './in-parallel.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers();
const database = useDatabase();

function start(options: Parameters<typeof workers.start>[2], where: Database = database) {
  return workers.start(2, where, options) as Promise<[RemoteLimiter, RemoteLimiter]>;
}

grantDelaySuite(start);

inParallel('the work of many waiters', () => {
  const calm = useDatabaseBeside(database);
  const busy = useDatabaseBeside(database);

  test('many waiters cost no more statements than a few', async () => {
    const statementsWith = async (waiters: number, where: Database) => {
      const [one, two] = await start({ limit: 1, lease: 3_000 }, where);
      await one.acquire();
      for (let i = 0; i < waiters; i++) void (i % 2 === 0 ? one : two).acquire().catch(() => {});
      const isQueued = async () =>
        expect(await one.do('stored')).toMatchObject({ queued: waiters });
      await vi.waitFor(isQueued, 10_000);
      const count = async () => {
        await where.ask('SELECT pg_stat_clear_snapshot()');
        const sql =
          'SELECT xact_commit::int FROM pg_stat_database WHERE datname = current_database()';
        return (await where.ask(sql)) as number;
      };
      // Backends report their statistics after a second at most.
      await sleep(1_100);
      const before = await count();
      // Each process renews three times meanwhile, by the real clock.
      await sleep(3_000);
      return (await count()) - before;
    };
    const [few = 0, many = 0] = await Promise.all([
      statementsWith(2, calm),
      statementsWith(200, busy),
    ]);
    expect(many).toBeLessThanOrEqual(few + 15);
    expect(many).toBeLessThan(60);
  });
});

inParallel('the queue', () => {
  queueSuite({
    start,
    disconnect: () =>
      database.ask(
        `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE ${ofStores}`,
      ),
    wait: 500,
    within: 10_000,
  });

  test('a waiter that misses its notification discovers its grant by polling', async () => {
    const [one, two] = await start({ limit: 1, lease: 3_000, name: 'not notified' });
    await one.acquire();
    const waiting = await two.wait();
    // Releases like a process would, but without the notification.
    const sql = `SELECT headgate.lease(l.address, l.label, 1, 0, 0, 0, 1, 'nobody', ARRAY['release', t.id, '1', '0', '0', '0', '', ''])
      FROM headgate.limits AS l JOIN headgate.leases AS t ON t.limit_id = l.id AND t.place IS NULL`;
    expect(String(await database.ask(sql))).toContain('\nok\n');
    const held = await waiting.held;
    expect(await held.isAborted()).toBe(false);
    expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 0 });
  });

  test('100 waiters use no connections of the app’s pool, and the store uses three', async () => {
    await vi.waitFor(async () => expect(await database.connections()).toBe(0), 10_000);
    const [one] = (await workers.start(1, database.server, { limit: 1, pool: 1 })) as [
      RemoteLimiter,
    ];
    const held = await one.acquire();
    const waiting = Array.from({ length: 100 }, () => one.acquire());
    await one.saw('queued', 100);
    expect(await one.do('ask', 'SELECT 1')).toBe(1);
    expect(await database.connections()).toBe(3);
    await held.release();
    for (const next of waiting) await (await next).release();
    const isEmpty = async () =>
      expect(await one.do('stored')).toMatchObject({ inflight: 0, queued: 0 });
    await vi.waitFor(isEmpty, 10_000);
  });

  test('a permit is released even while handlers use all connections of the app’s pool', async () => {
    const [one, two] = await start({ limit: 1, pool: 1 });
    const held = await one.acquire();
    await one.do('begin', 1);
    const waiting = await two.wait();
    await held.release();
    await (await waiting.held).release();
    await one.do('finish', 1, 'COMMIT');
  });
});
