import { createLimiter, type Limiter, type Permit } from '@headgate/core';
import { type PostgresStore, postgresStore } from '@headgate/postgres';
import { type FaultyProxy, startProxy } from '@headgate/test-servers';
import { expectConnectionReplaced } from '@headgate/test-servers/processes';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from './processes/database.ts';

const database = useDatabase({ settings: { allow_system_table_mods: 'on' } });
const listen = 'LISTEN headgate_';
let proxy: FaultyProxy;
let serial = 0;
let name = '';
beforeEach(async () => {
  name = `half open ${++serial}`;
  proxy = await startProxy(database.server);
  onTestFinished(() => proxy.stop());
});

interface Process {
  readonly store: PostgresStore;
  readonly limiter: Limiter;
  readonly events: { readonly up: boolean; readonly error: Error | undefined }[];
  /** The number of lost permits. */
  lost: number;
}

interface Options {
  readonly leaseDuration?: number;
  readonly timeout?: number;
}

/** Simulates a process: a limit of 1 with a store of its own. */
async function start({ port }: { port: number }, options: Options = {}): Promise<Process> {
  const connect = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const store = postgresStore({ connect, ...options });
  const process: Process = { store, limiter: undefined as unknown as Limiter, events: [], lost: 0 };
  let wasUp = true;
  const observer = {
    store: (event: Process['events'][number]) => {
      // On a busy machine a call may also be late, which starts and ends an outage.
      if (event.up && (wasUp || event.error !== undefined)) process.events.push(event);
      wasUp = event.up;
    },
    lost: () => {
      process.lost += 1;
    },
  };
  // Connects before the first request, like a health check; the machine may be busy.
  await vi.waitFor(() => store.stats({ name }), 9_000);
  const limiter = createLimiter({
    name,
    limit: 1,
    queueLimit: 9,
    queueTimeout: 9_000,
    store,
  });
  limiter.observe(observer);
  onTestFinished(async () => {
    await limiter.close({ timeout: 0 });
    await store.close();
  });
  await vi.waitFor(async () => (await limiter.acquire()).release(), 9_000);
  return Object.assign(process, { limiter });
}

async function queued(one: Process): Promise<{ permit: Promise<Permit> }> {
  const permit = one.limiter.acquire();
  await vi.waitFor(() => expect(one.limiter.queued).toBe(1), { interval: 2, timeout: 10_000 });
  return { permit };
}

test('a listening connection that dies silently is replaced while a waiter depends on it, and no permit is lost', async () => {
  const one = await start(database.server);
  const two = await start(proxy, { timeout: 500 });
  await expectConnectionReplaced(one, two, () => expect(proxy.holdOnly(listen)).toBe(1));
  expect([one.lost, two.lost]).toEqual([0, 0]);
});

test('a process renews in time if only the server has ended its listening connection', async () => {
  const one = await start(database.server);
  const two = await start(proxy);
  const held = await two.limiter.acquire();
  const { permit } = await queued(one);
  expect(proxy.endAtServer(listen)).toBe(1);
  // Longer than the leases of a process that is considered dead last.
  await expect(
    Promise.race([permit, new Promise((resolve) => setTimeout(resolve, 1_600))]),
  ).resolves.toBe(undefined);
  expect(two.lost).toBe(0);
  expect(held.signal.aborted).toBe(false);
  held.release();
  (await permit).release();
});

test.for(['idle', 'busy'])(
  'if only the server has ended the connections of a process, all %s, its holder aborts before the next grant',
  async (how) => {
    const options = { leaseDuration: 12_000, timeout: 3_000 };
    const one = await start(database.server, options);
    const two = await start(proxy, options);
    const held = await two.limiter.acquire();
    const { permit } = await queued(one);
    let aborted = Infinity;
    held.signal.addEventListener('abort', () => {
      aborted = performance.now();
    });
    expect(proxy.endAtServer()).toBe(3);
    // It waits for an answer for three seconds, on the connection that also checks the process's liveness.
    const stats = how === 'busy' ? two.store.stats({ name }).catch(() => {}) : undefined;
    const next = await permit;
    expect(aborted).toBeLessThan(performance.now());
    expect(held.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
    held.release();
    next.release();
    await stats;
  },
);

test('if the NOTIFY queue is full when processes start, waiters poll and the observer is notified', async () => {
  // Since PostgreSQL 13 the queue stays full after the blocking session has ended, until its usage is queried.
  await database.rows(`
    CREATE TABLE public.queue AS SELECT true AS is_blocked, true AS is_full;
    ALTER FUNCTION pg_catalog.pg_notify(text, text) RENAME TO pg_notify_kept;
    CREATE FUNCTION pg_catalog.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT is_full FROM public.queue) THEN
        RAISE EXCEPTION 'too many notifications in the NOTIFY queue' USING ERRCODE = '54000';
      END IF;
      PERFORM pg_catalog.pg_notify_kept($1, $2);
    END $$;
    ALTER FUNCTION pg_catalog.pg_notification_queue_usage() RENAME TO usage_kept;
    CREATE FUNCTION pg_catalog.pg_notification_queue_usage() RETURNS float8 LANGUAGE sql AS
      'UPDATE public.queue SET is_full = is_blocked RETURNING 1.0::float8';
  `);
  onTestFinished(async () => {
    await database.rows(`
      DROP FUNCTION pg_catalog.pg_notify(text, text), pg_catalog.pg_notification_queue_usage();
      ALTER FUNCTION pg_catalog.pg_notify_kept(text, text) RENAME TO pg_notify;
      ALTER FUNCTION pg_catalog.usage_kept() RENAME TO pg_notification_queue_usage;
    `);
  });
  const one = await start(database.server, { leaseDuration: 1_800 });
  const two = await start(database.server, { leaseDuration: 1_800 });
  const held = await one.limiter.acquire();
  const { permit } = await queued(two);
  held.release();
  const next = await permit;
  const full = { up: true, error: { code: 'ERR_HEADGATE_STORE_REFUSED' } };
  expect(two.events).toMatchObject([full]);
  expect(two.events[0]?.error?.message).toContain('54000');

  const { permit: last } = await queued(one);
  await database.rows('UPDATE public.queue SET is_blocked = false');
  await vi.waitFor(
    () => expect(one.events).toMatchObject([full, { up: true, error: undefined }]),
    5_000,
  );
  next.release();
  (await last).release();
});
