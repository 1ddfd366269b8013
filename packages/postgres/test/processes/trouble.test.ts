import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy } from '@headgate/test-servers';
import { cutSuite, expectWhole } from '@headgate/test-servers/processes';
import { expect, test, vi } from 'vitest';
import { connected, type Limited, useCrew } from './crew.ts';
import { useDatabase, useDatabaseBeside } from './database.ts';
import { limitIdleSessions } from './idle-sessions.ts';
import { inParallel } from './in-parallel.ts';

const lease = 3_000;
/** All of a limit is back when its leases have expired. */
const back = lease + 8_000;

const crew = useCrew();
const shared = useDatabase({ settings: { allow_system_table_mods: 'on' } }, limitIdleSessions);

/** For the tests of one group: a database of its own. */
function useProcesses() {
  const database = useDatabaseBeside(shared);
  const start = async (count: number, options: Parameters<typeof crew.start>[2]) => {
    const processes = await crew.start(count, database, { lease, ...options });
    return (await connected(processes)) as [Limited, Limited];
  };
  return { database, start };
}

inParallel('connections that end', () => {
  const { database, start } = useProcesses();

  test('a session that may not be idle for long is kept, and so are permits', async () => {
    const [one, two] = await start(2, { limit: 1, lease: 9_000 });
    const held = await one.acquire();
    const waiting = await two.wait();
    await sleep(1_500);
    expect(await database.connections()).toBe(6);
    expect([...one.of('store'), ...two.of('store')]).toEqual([]);
    await held.release();
    await (await waiting.held).release();
  });

  test('what was asked for before there was a connection, or another one, is kept like all else', async ({
    onTestFinished,
  }) => {
    const proxy = await startProxy(database.server);
    onTestFinished(() => proxy.stop());
    const options = { limit: 2, lease: 9_000 };
    const [one] = (await crew.start(1, database.through(proxy), options)) as [Limited];
    const first = await one.acquire();
    // Longer than a process is believed to live that has no connection.
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
    start: (proxy, options) => crew.start(2, database.through(proxy), { lease, ...options }),
    server: () => database.server,
    ...{ delay: 3, step: 4, back },
  });
});

inParallel('a state that is lost, and notifications that fail', () => {
  const { database, start } = useProcesses();

  test('a state that was lost is built up again by those who hold and who wait', async () => {
    const [one, two] = await start(2, { limit: 2 });
    const held = [await one.acquire(), await two.acquire()];
    const line = [await two.wait(), await one.wait()];
    await database.rows('TRUNCATE headgate.limits, headgate.leases');
    // Who waits may report before who holds, and be let in: n beyond the limit at most.
    await vi.waitFor(async () => {
      const { inflight, queued } = await one.do('stored');
      expect(inflight + queued).toBe(4);
      expect(inflight).toBeGreaterThanOrEqual(2);
    }, lease + 5_000);
    for (const permit of held) expect(await permit.isAborted()).toBe(false);
    for (const permit of held) await permit.release();
    for (const { held } of line) await (await held).release();
    await expectWhole(one, 2, back);
  });

  test('a notification that fails keeps no permit from being given back, nor the next from having it', async ({
    onTestFinished,
  }) => {
    // As where the queue of notifications is full.
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
    const line = [await two.wait(), await two.wait()];
    await held.release();
    for (const { held } of line) await (await held).release();
    expect(await database.ask('SELECT is_called FROM public.refused')).toBe(true);
    expect([...one.of('store'), ...two.of('store')]).toEqual([]);
    await expectWhole(one, 1, back);
  });
});
