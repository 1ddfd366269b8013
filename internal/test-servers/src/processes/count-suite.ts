import type { DistributedLimiterOptions } from '@headgate/core';
import { expect, test, vi } from 'vitest';
import type { Held, RemoteLimiter } from './remote-limiter.ts';

export interface CountDriver {
  /** Starts processes that share a limit. */
  start(
    count: number,
    options: Pick<DistributedLimiterOptions, 'limit' | 'queueLimit'> & { readonly name?: string },
  ): Promise<RemoteLimiter[]>;
  /** A wait in milliseconds that is longer than a call on a busy machine. */
  readonly wait: number;
  /** Maximum milliseconds until the store has counted what a process has sent. */
  readonly within: number;
}

/** The outcomes of concurrent requests, in no particular order. */
export async function outcomes(asked: readonly Promise<Held>[]) {
  const settled = await Promise.allSettled(asked);
  const held = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? one.reason.reason : []));
  return { held, reasons };
}

/** Tests, in real processes, that a limit is counted once for all of them. */
export function countSuite({ start, wait, within }: CountDriver): void {
  const pair = (limit: number) => start(2, { limit }) as Promise<[RemoteLimiter, RemoteLimiter]>;
  const expectStored = (one: RemoteLimiter | undefined, what: object) =>
    vi.waitFor(async () => expect(await one?.do('stored')).toMatchObject(what), within);

  /** If an operation has not reached the store yet, the caller may be admitted. It then releases its permit again. */
  const expectTimeout = async (process: RemoteLimiter) => {
    const ended = process.acquire({ queueTimeout: 1 }).then((permit) => permit.release());
    await expect(ended).rejects.toMatchObject({ reason: 'timeout' });
  };

  test('five processes with a limit of 4 admit 4 callers together', async () => {
    const processes = await start(5, { limit: 4, queueLimit: 0 });
    const asked = processes.flatMap((one) => Array.from({ length: 5 }, () => one.acquire()));
    const { held, reasons } = await outcomes(asked);
    expect(held).toHaveLength(4);
    expect(new Set(held.map(({ fencing }) => fencing)).size).toBe(4);
    expect(reasons).toEqual(new Array(21).fill('full'));
  });

  test('the work of several processes never overlaps beyond the limit', async () => {
    const processes = await start(3, { limit: 4 });
    const most = await Promise.all(processes.map((one) => one.do('work', 10, 30)));
    for (const here of most) expect(here).toBeLessThanOrEqual(4);
    await expectStored(processes[0], { inflight: 0, queued: 0 });
    for (const one of processes) expect(one.of('store')).toEqual([]);
  });

  test('releasing a permit twice releases its weight once', async () => {
    const [one, two] = await pair(2);
    const held = await one.acquire();
    await two.acquire();
    const waiting = [await two.wait(), await two.wait()];
    await held.release();
    await held.release();
    await Promise.race(waiting.map((next) => next.held));
    expect(await one.do('stored')).toMatchObject({ inflight: 2, queued: 1 });
  });

  test('a new limit applies in all processes, admits the waiters that fit, and revokes no permit', async () => {
    const [one, two] = await pair(1);
    const first = await one.acquire();
    const queue = [await two.wait(), await one.wait(), await two.wait()];
    await one.do('setLimit', 3);
    const others = [await queue[0]?.held, await queue[1]?.held];
    await two.do('setLimit', 1);
    // A resolved release() does not mean that the store has processed it.
    await expectStored(one, { limit: 1 });
    for (const held of [first, ...others]) expect(await held?.isAborted()).toBe(false);
    await first.release();
    await others[0]?.release();
    await expectStored(one, { inflight: 1, queued: 1, limit: 1 });
    await others[1]?.release();
    await queue[2]?.held;
  });

  test('restarts of all processes do not undo a limit that was set; a deployment of another number does', async () => {
    const run = async (limit: number) => {
      const [started] = (await start(1, { limit, name: 'set' })) as [RemoteLimiter];
      await (await started.acquire()).release();
      return started;
    };
    const processes = [await run(20), await run(20)];
    await processes[0]?.do('setLimit', 2);
    await expectStored(processes[1], { limit: 2 });
    for (let restarts = 0; restarts < 3; restarts++) {
      await processes.shift()?.worker.kill();
      const restarted = await run(20);
      processes.push(restarted);
      expect(await restarted.do('stats')).toMatchObject({
        limit: 2,
        distributed: { declared: 20 },
      });
      await expectStored(processes[0], { limit: 2 });
    }
    for (const limit of [30, 20])
      expect(await (await run(limit)).do('stats')).toMatchObject({ limit });
  });

  test('a limit that one process pauses admits no caller of any process until it is resumed', async () => {
    const [one, two] = await pair(2);
    const held = await two.acquire();
    await one.do('operate', 'pause');
    await vi.waitFor(async () => {
      await expectTimeout(two);
      expect(await two.do('stats')).toMatchObject({ state: 'paused' });
    }, within);
    const waiting = [await one.wait(), await two.wait()];
    expect(await held.isAborted()).toBe(false);
    await held.release();
    await expectStored(one, { inflight: 0, queued: 2, processes: 2 });
    await two.do('operate', 'resume');
    for (const next of waiting) await (await next.held).release();
    await vi.waitFor(async () => {
      await (await one.acquire()).release();
      expect(await one.do('stats')).toMatchObject({ state: 'open' });
    }, within);
  });

  test('rejectAll() of one process rejects the waiters and new callers of every process', async () => {
    const [one, two] = await pair(1);
    const held = await one.acquire();
    const waiting = (await two.wait()).held.catch((error: unknown) => error);
    await one.do('operate', 'rejectAll');
    expect(await waiting).toMatchObject({ reason: 'closed' });
    for (const process of [one, two]) {
      await expect(process.acquire()).rejects.toMatchObject({ reason: 'closed' });
    }
    await held.release();
    await two.do('operate', 'resume');
    await (await two.acquire()).release();
  });

  test('shadow mode that one process has started admits every caller of each process', async () => {
    const [one, two] = await pair(1);
    await one.do('operate', 'shadow');
    await expectStored(one, { limit: 1 });
    const held = [await one.acquire(), await two.acquire(), await two.acquire()];
    await expectStored(one, { inflight: 3, holders: 3, queued: 0, processes: 2 });
    expect(await two.do('stats')).toMatchObject({ mode: 'shadow', inflight: 2, admitted: 2 });
    await two.do('operate', 'enforce');
    await vi.waitFor(() => expectTimeout(one), within);
    const next = await one.wait();
    for (const permit of held) await permit.release();
    await (await next.held).release();
    expect(await one.do('stats')).toMatchObject({ mode: 'enforce' });
  });

  test('stored state and stats of a limit', async () => {
    const [one, two] = await pair(2);
    const held = [await one.acquire(), await two.acquire()];
    await expect(one.acquire({ queueTimeout: wait })).rejects.toMatchObject({ reason: 'timeout' });
    const waiting = await two.wait();
    const stored = await one.do('stored');
    expect(stored).toMatchObject({ limit: 2, inflight: 2, holders: 2, queued: 1 });
    expect(stored.longestWait).toBeGreaterThan(0);
    expect(await one.do('stats')).toMatchObject({
      limit: 2,
      inflight: 1,
      queued: 0,
      admitted: 1,
      rejected: { timeout: 1 },
      distributed: { up: true, declared: 2, inflight: 2, reclaimed: 0, lost: 0 },
    });
    expect(await two.do('stats')).toMatchObject({ inflight: 1, queued: 1, admitted: 1 });
    for (const permit of held) await permit.release();
    await waiting.held;
  });
}
