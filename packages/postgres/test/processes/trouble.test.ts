import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy } from '@headgate/test-servers';
import { expect, test, vi } from 'vitest';
import { connected, type Held, type Limited, useCrew, type Waiting } from './crew.ts';
import { type Database, useDatabase, useDatabaseBeside } from './database.ts';
import { inParallel } from './in-parallel.ts';

const lease = 3_000;

/** PostgreSQL 13 lets sessions be idle for ever. */
async function limitIdleSessions(database: Database): Promise<void> {
  const sql = `SELECT 1 FROM pg_settings WHERE name = 'idle_session_timeout'`;
  if ((await database.ask(sql)) === undefined) return;
  await database.rows(`ALTER ROLE postgres SET idle_session_timeout = '700ms'`);
}

const crew = useCrew();
const shared = useDatabase({ settings: { allow_system_table_mods: 'on' } }, limitIdleSessions);

/** For the tests of one group, on a server of its own or on the shared one. */
function useProcesses({ ownServer }: { ownServer: boolean }) {
  const database = ownServer ? useDatabase({}, limitIdleSessions) : useDatabaseBeside(shared);
  const start = async (count: number, options: Parameters<typeof crew.start>[2]) => {
    const processes = await crew.start(count, database, { lease, ...options });
    return (await connected(processes)) as [Limited, Limited];
  };
  return { database, start };
}

/** All of a limit can be had, and no more than that. */
async function expectWhole(one: Limited, limit: number) {
  const look = async () => expect(await one.do('stored')).toMatchObject({ inflight: 0, queued: 0 });
  await vi.waitFor(look, lease + 8_000);
  const all = await Promise.all(Array.from({ length: limit }, () => one.acquire()));
  await expect(one.acquire({ queueTimeout: 500 })).rejects.toMatchObject({ reason: 'timeout' });
  for (const held of all) await held.release();
}

/** Gives back one after the other; each time the next in line is let in. */
async function expectOrder(first: Held, line: readonly Waiting[]) {
  let last = first;
  for (const { held } of line) {
    await last.release();
    last = await held;
  }
  await last.release();
}

inParallel('connections that end', () => {
  const { database, start } = useProcesses({ ownServer: false });

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

  test.for(['reject', 'admit', 'local'] as const)(
    'connections that break at whatever step lose no permit (%s)',
    async (onStoreError, { onTestFinished }) => {
      const proxy = await startProxy(database.server);
      onTestFinished(() => proxy.stop());
      proxy.delay(3);
      const limit = 2;
      const options = { limit, lease, onStoreError };
      const [one, two] = (await crew.start(2, database.through(proxy), options)) as [
        Limited,
        Limited,
      ];
      for (let round = 0; round < 8; round++) {
        const asked = Array.from({ length: 10 }, (_, i) =>
          (i % 2 === 0 ? one : two).acquire({ queueTimeout: 5_000 }).then(
            (held) => held.release(),
            (error) => expect(['store', 'timeout']).toContain(error.reason),
          ),
        );
        await sleep(4 * round);
        proxy.cut();
        await Promise.all(asked);
      }
      proxy.delay(0);
      for (const process of [one, two]) {
        const look = async () =>
          expect(await process.do('stats')).toMatchObject({
            ...{ inflight: 0, queued: 0, shared: { up: true } },
          });
        await vi.waitFor(look, 8_000);
      }
      await expectWhole(one, limit);
    },
  );
});

inParallel('a server that restarts', () => {
  const { database, start } = useProcesses({ ownServer: true });

  test.each(['shut down and started again', 'crashed and recovered'])(
    'after the server was %s holders and waiters are there again, in order',
    async (how) => {
      const [one, two] = await start(2, { limit: 1, lease: 9_000, onStoreError: 'local' });
      const held = await one.acquire();
      // All in one process, which lets in nobody by itself while it holds what the limit allows.
      const line = [await one.wait(), await one.wait(), await one.wait(), await one.wait()];
      await two.do('stored');
      if (how.startsWith('crashed')) await database.server.crash();
      await database.server.restart();
      await vi.waitFor(async () => {
        for (const one_ of [one, two])
          expect(await one_.do('stats')).toMatchObject({ shared: { up: true } });
        expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 4 });
      }, 15_000);
      expect(await held.isAborted()).toBe(false);
      await expectOrder(held, line);
      await expectWhole(one, 1);
    },
  );

  test('a server that takes its time to end, and to be there again, takes no permit', async () => {
    const [one, two] = await start(2, { limit: 1, lease: 20_000 });
    const held = await one.acquire();
    const sql = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`;
    const checkpointer = Number(await database.ask(sql));
    // It says to everybody that it is about to end, for as long as it does not.
    process.kill(checkpointer, 'SIGSTOP');
    const restarted = database.server.restart();
    // Time is the subject: more than the second in which who cannot renew may be taken for dead.
    await sleep(2_500);
    process.kill(checkpointer, 'SIGCONT');
    await restarted;
    await vi.waitFor(
      async () => expect(await two.do('stored')).toMatchObject({ inflight: 1 }),
      5_000,
    );
    expect(await held.isAborted()).toBe(false);
    expect(one.of('lost')).toEqual([]);
    await held.release();
  });
});

inParallel('a server that crashes, freezes or is down', () => {
  const { database, start } = useProcesses({ ownServer: true });

  test('after a crash at full load never more than the limit, and nobody is left out', async () => {
    const options = { limit: 3, lease: 3_000, onStoreError: 'reject' as const };
    const [one, two] = await start(2, options);
    const work = [one, two].map((process) => process.do('work', 10, 400).catch(() => {}));
    await sleep(150);
    await database.server.crash();
    await database.server.restart();
    await Promise.all(work);
    await vi.waitFor(async () => {
      for (const process of [one, two])
        expect(await process.do('stats')).toMatchObject({ inflight: 0, shared: { up: true } });
    }, 8_000);
    await expectWhole(one, 3);
  });

  test('a frozen server is an outage, and no longer than that', async () => {
    const options = { limit: 1, lease: 3_000, timeout: 500 };
    const [one, two] = await start(2, options);
    const held = await one.acquire();
    database.server.freeze();
    try {
      await expect(two.acquire()).rejects.toMatchObject({ reason: 'store' });
      expect(await held.isAborted()).toBe(false);
    } finally {
      database.server.thaw();
    }
    await two.saw('store', 1, ({ up }) => up === true);
    await held.release();
    await expectWhole(two, 1);
  });

  test('without the server: the process lives, callers are told, and all is well when it comes', async () => {
    await database.server.shutDown();
    const options = { limit: 1, lease, timeout: 400 };
    const [one] = (await crew.start(1, database, options)) as [Limited];
    await expect(one.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
    await database.server.restart();
    await vi.waitFor(() => one.acquire().then((held) => held.release()), 8_000);
    await expectWhole(one, 1);
  });
});

inParallel('a state that is lost, and notifications that fail', () => {
  const { database, start } = useProcesses({ ownServer: false });

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
    await expectWhole(one, 2);
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
    await expectWhole(one, 1);
  });
});
