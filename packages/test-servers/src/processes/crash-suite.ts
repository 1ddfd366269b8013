import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedLimiterOptions } from '@headgate/core';
import { expect, test, vi } from 'vitest';
import type { Held, Limited } from './limited.ts';

type Crashing = Pick<SharedLimiterOptions, 'limit'> & { name?: string; lease: number };

export interface CrashDriver {
  /** Processes that share a limit; those of one name share one over all calls. */
  start(count: number, options: Crashing): Promise<Limited[]>;
  /** Milliseconds: of those who are killed. */
  readonly lease: number;
  /** Milliseconds after which what they had is back. */
  readonly back: number;
  /** Whether permits have fencing tokens. */
  readonly hasTokens: boolean;
}

/** Milliseconds: of those who are frozen, whose lease is all that gives back what they hold. */
const short = 900;
/** Milliseconds that a busy machine may be late. */
const late = 1_000;

/** What holds for processes that are killed, frozen, or at work for long: as tests in real processes. */
export function crashSuite({ start, lease, back, hasTokens }: CrashDriver): void {
  const trio = (options: Crashing) => start(3, options) as Promise<[Limited, Limited, Limited]>;

  function expectLater(next: Held, before: Held): void {
    if (hasTokens) expect(next.fencing).toBeGreaterThan(before.fencing as bigint);
    else expect(next.fencing).toBeUndefined();
  }

  const stands = (one: Limited, what: Partial<Record<'inflight' | 'holders' | 'queued', number>>) =>
    vi.waitFor(async () => expect(await one.do('stored')).toMatchObject(what), 5_000);

  test('what a killed process held is back in time', async () => {
    const [one, two] = await trio({ limit: 2, lease });
    await one.acquire({ weight: 2 });
    const line = [await two.wait(), await two.wait()];
    const killed = performance.now();
    await one.worker.kill();
    for (const { held } of line) await held;
    expect(performance.now() - killed).toBeLessThan(back);
  });

  test('killed waiters do not hold up those behind them, however many', async () => {
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

  test('killed waiters leave the line, though nobody before them does', async () => {
    const [one, two, three] = await trio({ limit: 1, lease });
    const held = await one.acquire();
    for (let i = 0; i < 5; i++) await two.wait();
    const waiting = await three.wait();
    await two.worker.kill();
    await stands(one, { queued: 1 });
    await held.release();
    expectLater(await waiting.held, held);
  });

  test('killed at whatever step, a process loses no permit', async () => {
    const options = { limit: 3, lease: Math.min(lease, 3_000), name: 'any step' };
    const [survivor] = (await start(1, options)) as [Limited];
    for (let round = 0; round < 6; round++) {
      const [victim] = (await start(1, options)) as [Limited];
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
    // Seven processes begin, one after the other.
  }, 90_000);

  test('what a frozen process holds is back within its lease, and it learns so', async () => {
    const [one, two] = await trio({ limit: 1, lease: short });
    const stale = await one.acquire();
    const waiting = await two.wait();
    one.worker.freeze();
    const frozen = performance.now();
    const next = await waiting.held;
    expect(performance.now() - frozen).toBeLessThan(short + late);
    one.worker.thaw();
    expect(await stale.aborted()).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
    await one.saw('lost');
    expect(await one.do('stats')).toMatchObject({ shared: { lost: 1 } });
    expectLater(next, stale);
  });

  test('the late release of a lost permit lets nobody in beside its successor', async () => {
    const [one, two, three] = await trio({ limit: 1, lease: short });
    const stale = await one.acquire();
    const waiting = await two.wait();
    one.worker.freeze();
    const next = await waiting.held;
    const last = await three.wait();
    one.worker.thaw();
    await stale.release();
    await one.do('stored');
    await stands(two, { inflight: 1, holders: 1, queued: 1 });
    await next.release();
    expectLater(await last.held, next);
  });

  test('a frozen waiter that was let in gives way within its lease', async () => {
    const [one, two, three] = await trio({ limit: 1, lease: short });
    const held = await one.acquire();
    await two.wait();
    const waiting = await three.wait();
    two.worker.freeze();
    await held.release();
    const released = performance.now();
    await stands(one, { inflight: 1, queued: 1 });
    expectLater(await waiting.held, held);
    expect(performance.now() - released).toBeLessThan(short + late);
    await stands(one, { inflight: 1, queued: 0 });
  });

  test('work of three times its lease keeps its permit', async () => {
    const [one, two] = await trio({ limit: 1, lease: short });
    const held = await one.acquire();
    const waiting = await two.wait();
    await sleep(3 * short);
    expect(await held.isAborted()).toBe(false);
    expect(one.of('lost')).toEqual([]);
    await held.release();
    expectLater(await waiting.held, held);
  });
}
