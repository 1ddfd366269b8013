import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy } from '@headgate/test-servers';
import { cutSuite, expectFullLimitAvailable } from '@headgate/test-servers/processes';
import { expect, test, vi } from 'vitest';
import { useDatabase, useDatabaseBeside } from './database.ts';
import { limitIdleSessions } from './idle-sessions.ts';
import { inParallel } from './in-parallel.ts';
import { connected, type RemoteLimiter, useWorkers } from './workers.ts';

const lease = 3_000;
/** Milliseconds until the whole limit is available, after its leases have expired. */
const back = lease + 8_000;

const workers = useWorkers();
const shared = useDatabase({ settings: { allow_system_table_mods: 'on' } }, limitIdleSessions);

/** Sets up a database for the tests of one group. */
function useProcesses() {
  const database = useDatabaseBeside(shared);
  const start = async (count: number, options: Parameters<typeof workers.start>[2]) => {
    const processes = await workers.start(count, database, { lease, ...options });
    return (await connected(processes)) as [RemoteLimiter, RemoteLimiter];
  };
  return { database, start };
}

inParallel('connections that end', () => {
  const { database, start } = useProcesses();

  test('sessions with a short idle timeout are kept alive, and so are their permits', async () => {
    const [one, two] = await start(2, { limit: 1, lease: 9_000 });
    const held = await one.acquire();
    const waiting = await two.wait();
    await sleep(1_500);
    expect(await database.connections()).toBe(6);
    expect([...one.of('store'), ...two.of('store')]).toEqual([]);
    await held.release();
    await (await waiting.held).release();
  });

  test('permits acquired before the first connection, or between two, are kept like any others', async ({
    onTestFinished,
  }) => {
    const proxy = await startProxy(database.server);
    onTestFinished(() => proxy.stop());
    const options = { limit: 2, lease: 9_000 };
    const [one] = (await workers.start(1, database.through(proxy), options)) as [RemoteLimiter];
    const first = await one.acquire();
    // Longer than a process without a connection is considered alive.
    await sleep(1_500);
    proxy.cut();
    const second = await one.acquire();
    await sleep(1_500);
    for (const held of [first, second]) {
      expect(await held.isAborted()).toBe(false);
      await held.release();
    }
  });

  cutSuite({
    start: (proxy, options) => workers.start(2, database.through(proxy), { lease, ...options }),
    server: () => database.server,
    ...{ delay: 3, step: 4, back },
  });
});

inParallel('a state that is lost, and notifications that fail', () => {
  const { database, start } = useProcesses();

  test('holders and waiters restore the state after all data was lost', async () => {
    const [one, two] = await start(2, { limit: 2 });
    const held = [await one.acquire(), await two.acquire()];
    const queue = [await two.wait(), await one.wait()];
    await database.rows('TRUNCATE headgate.limits, headgate.leases');
    // Waiters may report before holders and be granted permits: at most n beyond the limit.
    await vi.waitFor(async () => {
      const { inflight, queued } = await one.do('stored');
      expect(inflight + queued).toBe(4);
      expect(inflight).toBeGreaterThanOrEqual(2);
    }, lease + 5_000);
    for (const permit of held) expect(await permit.isAborted()).toBe(false);
    for (const permit of held) await permit.release();
    for (const { held } of queue) await (await held).release();
    await expectFullLimitAvailable(one, 2, back);
  });

  test('a failing notification prevents neither the release nor the next grant', async ({
    onTestFinished,
  }) => {
    // Like a full queue of notifications.
    await database.rows(`
      ALTER FUNCTION pg_catalog.pg_notify(text, text) RENAME TO pg_notify_kept;
      CREATE FUNCTION pg_catalog.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        IF $2 LIKE 'grant%' THEN
          PERFORM pg_catalog.nextval('public.refused');
          RAISE EXCEPTION 'too many notifications in the NOTIFY queue';
        END IF;
        PERFORM pg_catalog.pg_notify_kept($1, $2);
      END $$;
      CREATE SEQUENCE public.refused;
    `);
    onTestFinished(async () => {
      await database.rows(`
        DROP FUNCTION pg_catalog.pg_notify(text, text);
        ALTER FUNCTION pg_catalog.pg_notify_kept(text, text) RENAME TO pg_notify;
      `);
    });
    const [one, two] = await start(2, { limit: 1 });
    const held = await one.acquire();
    const queue = [await two.wait(), await two.wait()];
    await held.release();
    for (const { held } of queue) await (await held).release();
    expect(await database.ask('SELECT is_called FROM public.refused')).toBe(true);
    expect([...one.of('store'), ...two.of('store')]).toEqual([]);
    await expectFullLimitAvailable(one, 1, back);
  });
});
