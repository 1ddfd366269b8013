import { setTimeout as sleep } from 'node:timers/promises';
import type { DistributedLimiterOptions } from '@headgate/core';
import { expect, test, vi } from 'vitest';
import type { Held, RemoteLimiter } from './remote-limiter.ts';

type Crashing = Pick<DistributedLimiterOptions, 'limit'> & { name?: string; lease: number };

export interface CrashDriver {
  /** Starts processes that share a limit. Processes of several calls share it too if the calls have the same name. */
  start(count: number, options: Crashing): Promise<RemoteLimiter[]>;
  /** The lease of the limits in tests that kill processes, in milliseconds. */
  readonly lease: number;
  /** Maximum milliseconds until the permits of a killed process are available. */
  readonly back: number;
}

/** The lease in tests that freeze processes, in milliseconds. Their permits only become available when it ends. */
const SHORT_LEASE = 900;
/** The lease of work that renews it, in milliseconds. A busy machine delays a renewal by less than this. */
const RENEWED_LEASE = 2_000;
/** Additional milliseconds allowed on a busy machine. */
const TOLERANCE = 1_000;

/** Tests of processes that are killed, frozen, or work for a long time. They use real processes. */
export function crashSuite({ start, lease, back }: CrashDriver): void {
  const trio = (options: Crashing) =>
    start(3, options) as Promise<[RemoteLimiter, RemoteLimiter, RemoteLimiter]>;

  function expectLater(next: Held, before: Held): void {
    expect(next.fencing).toBeGreaterThan(before.fencing as bigint);
  }

  const expectState = (
    one: RemoteLimiter,
    what: Partial<Record<'inflight' | 'holders' | 'queued', number>>,
  ) => vi.waitFor(async () => expect(await one.do('stored')).toMatchObject(what), 5_000);

  test('the permits of a killed process become available in time', async () => {
    const [one, two] = await trio({ limit: 2, lease });
    await one.acquire({ weight: 2 });
    const queue = [await two.wait(), await two.wait()];
    const killed = performance.now();
    await one.worker.kill();
    for (const { held } of queue) await held;
    expect(performance.now() - killed).toBeLessThan(back);
  });

  test('killed waiters do not delay the waiters behind them, however many they are', async () => {
    const [one, two, three] = await trio({ limit: 1, lease });
    const held = await one.acquire();
    for (let i = 0; i < 5; i++) await two.wait();
    const waiting = await three.wait();
    const killed = performance.now();
    await two.worker.kill();
    await held.release();
    expectLater(await waiting.held, held);
    expect(performance.now() - killed).toBeLessThan(back);
  });

  test('killed waiters leave the queue, even if no waiter before them leaves', async () => {
    const [one, two, three] = await trio({ limit: 1, lease });
    const held = await one.acquire();
    for (let i = 0; i < 5; i++) await two.wait();
    const waiting = await three.wait();
    await two.worker.kill();
    await expectState(one, { queued: 1 });
    await held.release();
    expectLater(await waiting.held, held);
  });

  test('a process that is killed at any step loses no permit', async () => {
    const options = { limit: 3, lease: Math.min(lease, 3_000), name: 'any step' };
    const [survivor] = (await start(1, options)) as [RemoteLimiter];
    for (let round = 0; round < 6; round++) {
      const [victim] = (await start(1, options)) as [RemoteLimiter];
      const work = victim.do('work', 12, 1_000).catch(() => {});
      const own = survivor.do('work', 6, 10);
      const isBusy = async () => expect((await survivor.do('stored')).queued).toBeGreaterThan(0);
      await vi.waitFor(isBusy, 5_000);
      await sleep(7 * round);
      await victim.worker.kill();
      await work;
      expect(await own).toBeLessThanOrEqual(3);
    }
    const all = await Promise.all([survivor.acquire(), survivor.acquire(), survivor.acquire()]);
    const reason = 'timeout';
    await expect(survivor.acquire({ queueTimeout: 200 })).rejects.toMatchObject({ reason });
    for (const held of all) await held.release();
    // Seven processes start, one after the other.
  }, 90_000);

  test('a frozen process loses its permits within its lease, and their signals abort when it continues', async () => {
    const [one, two] = await trio({ limit: 1, lease: SHORT_LEASE });
    const stale = await one.acquire();
    const waiting = await two.wait();
    one.worker.freeze();
    const frozen = performance.now();
    const next = await waiting.held;
    expect(performance.now() - frozen).toBeLessThan(SHORT_LEASE + TOLERANCE);
    one.worker.thaw();
    expect(await stale.aborted()).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
    await one.saw('lost');
    expect(await one.do('stats')).toMatchObject({ distributed: { lost: 1 } });
    expectLater(next, stale);
  });

  test('the late release of a lost permit grants no further permit', async () => {
    const [one, two, three] = await trio({ limit: 1, lease: SHORT_LEASE });
    const stale = await one.acquire();
    const waiting = await two.wait();
    one.worker.freeze();
    const next = await waiting.held;
    const last = await three.wait();
    one.worker.thaw();
    await stale.release();
    await one.do('stored');
    await expectState(two, { inflight: 1, holders: 1, queued: 1 });
    await next.release();
    expectLater(await last.held, next);
  });

  test('a frozen waiter that was granted a permit loses it within its lease', async () => {
    const [one, two, three] = await trio({ limit: 1, lease: SHORT_LEASE });
    const held = await one.acquire();
    await two.wait();
    const waiting = await three.wait();
    two.worker.freeze();
    await held.release();
    const released = performance.now();
    await expectState(one, { inflight: 1, queued: 1 });
    expectLater(await waiting.held, held);
    expect(performance.now() - released).toBeLessThan(SHORT_LEASE + TOLERANCE);
    await expectState(one, { inflight: 1, queued: 0 });
  });

  test('work that takes three leases keeps its permit', async () => {
    const [one, two] = await trio({ limit: 1, lease: RENEWED_LEASE });
    const held = await one.acquire();
    const waiting = await two.wait();
    await sleep(3 * RENEWED_LEASE);
    expect(await held.isAborted()).toBe(false);
    expect(one.of('lost')).toEqual([]);
    await held.release();
    expectLater(await waiting.held, held);
  });
}
