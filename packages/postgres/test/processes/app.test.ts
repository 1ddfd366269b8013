import { startPgBouncer } from '@headgate/test-servers';
import { expect, type TestContext, test, vi } from 'vitest';
import { type Database, useDatabase, useDatabaseBeside } from './database.ts';
import { inParallel } from './in-parallel.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers();
const server = useDatabase();

/** Sets up the database for the tests of one group. */
function useProcesses() {
  const database = useDatabaseBeside(server);
  const start = (options: Parameters<typeof workers.start>[2]) =>
    workers.start(2, database, options) as Promise<[RemoteLimiter, RemoteLimiter]>;
  return { database, start };
}

/** Connects a client through a new pooler. */
async function bouncer(
  database: Database,
  mode: 'session' | 'transaction' | 'statement',
  { onTestFinished }: TestContext,
): Promise<{ readonly url: string }> {
  const pooler = await startPgBouncer(database.server, { mode });
  onTestFinished(() => pooler.stop());
  return database.through(pooler);
}

inParallel('isolation levels', () => {
  const { database, start } = useProcesses();

  test.for(['repeatable read', 'serializable'])(
    'a limit is enforced with a default isolation level of %s',
    async (isolation, { onTestFinished }) => {
      await database.rows(
        `ALTER DATABASE ${database.name} SET default_transaction_isolation = '${isolation}'`,
      );
      onTestFinished(async () => {
        await database.rows(`ALTER DATABASE ${database.name} RESET default_transaction_isolation`);
      });
      const [one, two] = await start({ limit: 3 });
      expect(await one.do('ask', 'SHOW transaction_isolation')).toBe(isolation);
      const most = await Promise.all([one.do('work', 15, 20), two.do('work', 15, 20)]);
      for (const here of most) expect(here).toBeLessThanOrEqual(3);
      for (const process of [one, two]) {
        expect(process.of('store')).toEqual([]);
        expect(await process.do('stats')).toMatchObject({ admitted: 300 });
      }
    },
  );

  test('transactions that fail with a deadlock or serialization error are retried', async ({
    onTestFinished,
  }) => {
    const [one] = await start({ limit: 1, name: 'undone' });
    const held = await one.acquire();
    await database.rows(`
      CREATE SEQUENCE public.undone;
      CREATE FUNCTION public.undo() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('public.undone') <= 3 THEN RAISE SQLSTATE '40001'; END IF;
        IF currval('public.undone') <= 4 THEN RAISE SQLSTATE '40P01'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER undo AFTER UPDATE ON headgate.limits FOR EACH ROW EXECUTE FUNCTION public.undo();
    `);
    onTestFinished(async () => {
      await database.rows('DROP FUNCTION public.undo CASCADE; DROP SEQUENCE public.undone');
    });
    await held.release();
    await (await one.acquire()).release();
    expect(one.of('store')).toEqual([]);
    expect(Number(await database.ask('SELECT last_value FROM public.undone'))).toBeGreaterThan(4);
  });
});

inParallel('rejected poolers', () => {
  const { database } = useProcesses();

  test.for(['transaction', 'statement'] as const)(
    'a pooler that assigns its connections per %s is rejected, with a hint',
    async (mode, context) => {
      const pooler = await bouncer(database, mode, context);
      // Each rejection takes half of the timeout.
      const options = { limit: 1, timeout: 1_500, onStoreError: 'reject' } as const;
      const [one] = (await workers.start(1, pooler, options)) as [RemoteLimiter];
      for (let i = 0; i < 2; i++) {
        await expect(one.acquire()).rejects.toMatchObject({
          code: 'ERR_HEADGATE_STORE_REFUSED',
          message: expect.stringContaining('pool_mode = session'),
        });
      }
      // The connections must have no settings left that would affect the pooler's other clients.
      expect(await one.do('ask', 'SHOW synchronous_commit')).toBe('on');
      // The store keeps trying.
      const channels = () => one.do('ask', 'SELECT count(*)::int FROM pg_listening_channels()');
      await vi.waitFor(async () => expect(await channels()).toBe(0), 5_000);
    },
  );
});

inParallel('transactions and poolers of the app', () => {
  const { database, start } = useProcesses();

  test("a permit does not depend on the app's own transaction", async () => {
    const [one, two] = await start({ limit: 2 });
    await one.do('begin', 1);
    const inside = await one.acquire();
    expect(await two.do('stored')).toMatchObject({ inflight: 1 });
    // No mutual exclusion: another process may hold a permit while the transaction is open.
    const other = await two.acquire();
    await one.do('finish', 1, 'ROLLBACK');
    expect(await two.do('stored')).toMatchObject({ inflight: 2 });
    await expect(two.acquire({ queueTimeout: 500 })).rejects.toMatchObject({ reason: 'timeout' });
    await inside.release();
    await other.release();
  });

  test("the store's own connections work even if the app's pool uses a pooler per transaction", async (context) => {
    const { url } = await bouncer(database, 'transaction', context);
    const [one, two] = await start({ limit: 1, poolUrl: url });
    const held = await one.acquire();
    const waiting = await two.wait();
    expect(await one.do('ask', 'SELECT 1')).toBe(1);
    await held.release();
    await (await waiting.held).release();
  });

  test('a pooler that assigns its connections per session works like a direct connection', async (context) => {
    const pooler = await bouncer(database, 'session', context);
    const [one, two] = (await workers.start(2, pooler, { limit: 1 })) as [
      RemoteLimiter,
      RemoteLimiter,
    ];
    const held = await one.acquire();
    const waiting = await two.wait();
    await held.release();
    await (await waiting.held).release();
  });

  test('a waiter that timed out can still use the connection in its transaction', async () => {
    const [one, two] = await start({ limit: 1 });
    const held = await two.acquire();
    await one.do('stored');
    await one.do('begin', 1);
    await one.do('inTransaction', 1, 'CREATE TEMP TABLE kept AS SELECT 7 AS seven');
    await expect(one.acquire({ queueTimeout: 500 })).rejects.toMatchObject({ reason: 'timeout' });
    expect(await one.do('inTransaction', 1, 'SELECT seven FROM kept')).toBe(7);
    await one.do('finish', 1, 'COMMIT');
    expect(await one.do('ask', 'SELECT seven FROM kept')).toBe(7);
    await held.release();
  });
});
