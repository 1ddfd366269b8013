import { setTimeout as sleep } from 'node:timers/promises';
import { crashSuite, firstOf, startBehindProxy } from '@headgate/test-servers/processes';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { type Database, useDatabase, useDatabaseBeside } from './database.ts';
import { inParallel } from './in-parallel.ts';
import { connected, type RemoteLimiter, useWorkers } from './workers.ts';

type Options = Parameters<ReturnType<typeof useWorkers>['start']>[2];

const workers = useWorkers();
const shared = useDatabase();

/** Starts processes of a group whose tests need a ring of their own. */
function useRing() {
  const database = useDatabaseBeside(shared);
  const start = (count: number, options: Options) =>
    workers.start(count, database, options) as Promise<
      [RemoteLimiter, RemoteLimiter, RemoteLimiter]
    >;
  return { database, start };
}

/** A process behind a proxy holds a permit for which another process waits. */
const startCutOff = (database: Database, context: TestContext, options: Options) =>
  startBehindProxy(context, database.server, (server) =>
    workers.start(1, database.through(server), options),
  );

/** Waits until these processes are registered, and no others are in the ring. */
async function inRing(database: Database, processes: readonly RemoteLimiter[]) {
  for (const one of processes) await one.do('stored');
  const look = async () =>
    expect(await database.ask('SELECT count(*)::int FROM headgate.members')).toBe(processes.length);
  await vi.waitFor(look, 5_000);
}

/** Ends the connections that show that the processes are alive; resolves to their number. */
function endListening(database: Database): Promise<unknown> {
  return database.ask(
    `SELECT count(pg_terminate_backend(l.pid))::int FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
    WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database()`,
  );
}

describe.concurrent('processes that are killed or frozen', () => {
  // The permits of a killed process become available long before its lease ends.
  crashSuite({
    start: async (count, options) => connected(await workers.start(count, shared, options)),
    lease: 20_000,
    back: 8_000,
  });
});

inParallel('a process that is killed, or cannot renew', () => {
  const { database, start } = useRing();

  test('the permit of a killed process becomes available long before its lease ends', async () => {
    const [one, two, three] = await start(3, { limit: 1, lease: 20_000 });
    await inRing(database, [one, two, three]);
    for (const [i, victim] of [one, two].entries()) {
      await victim.acquire();
      const waiting = await three.wait();
      const killed = performance.now();
      await victim.worker.kill();
      const held = await waiting.held;
      const took = performance.now() - killed;
      // A second in which a live process could have renewed, and four checks per second.
      expect(took).toBeGreaterThan(900);
      expect(took).toBeLessThan(2_500);
      await held.release();
      // Only the next operation on the limit reports it: no other process may perform one before this release.
      await three.saw('reclaimed', i + 1);
    }
  });

  test('a holder that is considered dead and cannot renew aborts before another one is granted', async (context) => {
    const options = { limit: 1, lease: 20_000, name: 'taken for dead' };
    const scene = await startCutOff(database, context, options);
    await inRing(database, [scene.one, scene.two]);
    scene.proxy.refuse(true);
    scene.proxy.cut();
    expect(await firstOf(scene)).toBe('ERR_HEADGATE_LEASE_LOST');
    await scene.waiting.held;
  });
});

inParallel('a process that loses a connection', () => {
  const { database, start } = useRing();

  test('a live process loses no permit when its listening connection ends', async () => {
    const [one, two] = await start(2, { limit: 1, lease: 20_000 });
    await inRing(database, [one, two]);
    const held = await one.acquire();
    const waiting = await two.wait();
    for (let i = 0; i < 3; i++) {
      expect(await endListening(database)).toBe(2);
      await sleep(600);
      await inRing(database, [one, two]);
    }
    await sleep(1_500);
    expect(await held.isAborted()).toBe(false);
    expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 1 });
    expect([...one.of('lost'), ...two.of('lost'), ...one.of('reclaimed')]).toEqual([]);
    await held.release();
    await waiting.held;
  });
});

inParallel('a process that is cut off', () => {
  const { database } = useRing();

  test('a holder that is temporarily considered dead but can renew keeps its permit', async (context) => {
    const options = { limit: 1, lease: 20_000, name: 'cannot listen' };
    const scene = await startCutOff(database, context, options);
    const { proxy, one, two, held, waiting } = scene;
    await inRing(database, [one, two]);
    proxy.refuse(true);
    await endListening(database);
    // Must elapse in real time: one second, after which the lease would expire, and 1.5 s more.
    await sleep(2_500);
    expect(await held.isAborted()).toBe(false);
    expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 1 });
    proxy.refuse(false);
    await held.release();
    await waiting.held;
  });

  test('a disconnected holder aborts before its lease expires in the store', async (context) => {
    const options = { limit: 1, lease: 3_000, name: 'cut off' };
    const scene = await startCutOff(database, context, options);
    scene.proxy.hold(true);
    expect(await firstOf(scene)).toBe('ERR_HEADGATE_LEASE_LOST');
    await scene.waiting.held;
  });
});
