import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy } from '@headgate/test-servers';
import {
  expectFullLimitAvailable,
  type Held,
  restartSuite,
  type Waiting,
} from '@headgate/test-servers/processes';
import { expect, test, vi } from 'vitest';
import { useDatabase } from './database.ts';
import { limitIdleSessions } from './idle-sessions.ts';
import { inParallel } from './in-parallel.ts';
import { startStartingServer } from './starting-server.ts';
import { connected, type RemoteLimiter, useWorkers } from './workers.ts';

const lease = 3_000;
/** Milliseconds until the whole limit is available, after its leases have expired. */
const back = lease + 8_000;

const workers = useWorkers();

/** Sets up a server for the tests of one group. */
function useProcesses() {
  const database = useDatabase({}, limitIdleSessions);
  const start = async (
    count: number,
    options: Parameters<typeof workers.start>[2],
    place: { readonly url: string } = database,
  ) => {
    const processes = await workers.start(count, place, { lease, ...options });
    return (await connected(processes)) as [RemoteLimiter, RemoteLimiter];
  };
  return { database, start };
}

/** Releases one permit after the other; expects the first waiter to be granted each time. */
async function expectOrder(first: Held, queue: readonly Waiting[]) {
  let last = first;
  for (const { held } of queue) {
    await last.release();
    last = await held;
  }
  await last.release();
}

inParallel('a server that restarts', () => {
  const { database, start } = useProcesses();

  test.each(['shut down and started again', 'crashed and recovered'])(
    'after the server was %s holders and waiters are restored, in order',
    async (how) => {
      // Longer than a busy machine needs to start the server.
      const [one, two] = await start(2, { limit: 1, lease: 20_000, onStoreError: 'local' });
      const held = await one.acquire();
      // All in one process, which grants no permit by itself while it holds as many as the limit allows.
      const queue = [await one.wait(), await one.wait(), await one.wait(), await one.wait()];
      await two.do('stored');
      if (how.startsWith('crashed')) await database.server.crash();
      await database.server.restart();
      await vi.waitFor(async () => {
        for (const one_ of [one, two])
          expect(await one_.do('stats')).toMatchObject({ distributed: { up: true } });
        expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 4 });
      }, 15_000);
      expect(await held.isAborted()).toBe(false);
      await expectOrder(held, queue);
      await expectFullLimitAvailable(one, 1, back);
    },
  );

  test('no permit is lost when a server shuts down and starts slowly', async ({
    onTestFinished,
  }) => {
    const starting = await startStartingServer();
    onTestFinished(() => starting.stop());
    const target = { port: database.server.port };
    const proxy = await startProxy(target);
    onTestFinished(() => proxy.stop());
    const options = { limit: 1, lease: 20_000 };
    const [one, two] = await start(2, options, database.through(proxy));
    const held = await one.acquire();
    const sql = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`;
    const checkpointer = Number(await database.ask(sql));
    // It tells every client that it is shutting down for as long as that takes.
    process.kill(checkpointer, 'SIGSTOP');
    const restarted = database.server.restart();
    // Must elapse in real time: more than the second after which a process that cannot renew may be considered dead.
    await sleep(2_500);
    // On a busy machine the program may start more slowly than leases outlive a closed port.
    target.port = starting.port;
    process.kill(checkpointer, 'SIGCONT');
    await restarted;
    target.port = database.server.port;
    await vi.waitFor(
      async () => expect(await two.do('stored')).toMatchObject({ inflight: 1 }),
      5_000,
    );
    expect(await held.isAborted()).toBe(false);
    expect(one.of('lost')).toEqual([]);
    await held.release();
  });
});

inParallel('a server that is away for less than the timeout of a call', () => {
  const { database, start } = useProcesses();
  for (const how of ['shut down', 'crashed']) {
    restartSuite(how, {
      start: (options) => start(2, options),
      away: () => (how === 'crashed' ? database.server.crash() : database.server.shutDown()),
      back: () => database.server.restart(),
    });
  }
});

inParallel('a server that crashes, freezes or is down', () => {
  const { database, start } = useProcesses();

  test('after a crash at full load, the limit is never exceeded and every waiter is served', async () => {
    const options = { limit: 3, lease: 3_000, onStoreError: 'reject' as const };
    const [one, two] = await start(2, options);
    const work = [one, two].map((process) => process.do('work', 10, 30).catch(() => {}));
    await sleep(150);
    await database.server.crash();
    await database.server.restart();
    await Promise.all(work);
    await vi.waitFor(async () => {
      for (const process of [one, two])
        expect(await process.do('stats')).toMatchObject({ inflight: 0, distributed: { up: true } });
    }, 8_000);
    await expectFullLimitAvailable(one, 3, back);
  });

  test('a frozen server counts as an outage, which ends when it continues', async () => {
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
    await expectFullLimitAvailable(two, 1, back);
  });

  test('processes keep running without the server and reject callers; everything works once it is back', async () => {
    await database.server.shutDown();
    const options = { limit: 1, lease, timeout: 400 };
    const [one] = (await workers.start(1, database, options)) as [RemoteLimiter];
    await expect(one.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
    await database.server.restart();
    await vi.waitFor(() => one.acquire().then((held) => held.release()), 8_000);
    await expectFullLimitAvailable(one, 1, back);
  });
});
