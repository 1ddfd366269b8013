import { expect, test, vi } from 'vitest';
import type { Held, RemoteLimiter, Waiting } from './remote-limiter.ts';

export interface QueueDriver {
  /** Starts two processes that share a limit. */
  start(options: { limit: number }): Promise<[RemoteLimiter, RemoteLimiter]>;
  /** Ends all connections of the processes. */
  disconnect(processes: readonly RemoteLimiter[]): Promise<unknown>;
  /** A wait in milliseconds that is longer than a call on a busy machine. */
  readonly wait: number;
  /** Maximum milliseconds until the store has counted what a process has sent. */
  readonly within: number;
}

/** Releases one permit after the other. Returns the index of the waiter that was granted next each time. */
async function orderOf(first: Held, queue: readonly Waiting[]): Promise<number[]> {
  const order: number[] = [];
  const left = new Map(queue.map(({ held }, i) => [i, held.then((permit) => ({ i, permit }))]));
  for (let last = first; left.size > 0; ) {
    await last.release();
    const { i, permit } = await Promise.race(left.values());
    left.delete(i);
    order.push(i);
    last = permit;
  }
  return order;
}

/** Tests, in real processes, of the queue that they share. */
export function queueSuite({ start, disconnect, wait, within }: QueueDriver): void {
  const expectStored = (one: RemoteLimiter, what: object) =>
    vi.waitFor(async () => expect(await one.do('stored')).toMatchObject(what), within);

  test('a queue over two processes is served in order of arrival', async () => {
    const [one, two] = await start({ limit: 1 });
    const held = await one.acquire();
    const queue: Waiting[] = [];
    for (let i = 0; i < 12; i++) queue.push(await (i % 3 === 0 ? one : two).wait());
    expect(await orderOf(held, queue)).toEqual(queue.map((_, i) => i));
  });

  test('a waiter whose connections were ended keeps its place', async () => {
    const [one, two] = await start({ limit: 1 });
    const held = await one.acquire();
    const queue = [await two.wait(), await one.wait(), await two.wait(), await one.wait()];
    await disconnect([one, two]);
    expect(await orderOf(held, queue)).toEqual([0, 1, 2, 3]);
  });

  test('a timeout and an abort leave the queue, and the full limit can be acquired', async () => {
    const [one, two] = await start({ limit: 2 });
    const holders = [await one.acquire(), await two.acquire()];
    const leaving = await two.wait();
    const reason = 'timeout';
    await expect(one.acquire({ queueTimeout: wait })).rejects.toMatchObject({ reason });
    await leaving.abort();
    await expect(leaving.held).rejects.toThrow('the caller has withdrawn');
    await two.saw('withdrawn');
    await expectStored(one, { queued: 0 });
    for (const held of holders) await held.release();
    await Promise.all([one.acquire(), two.acquire()]);
    await expectStored(one, { inflight: 2 });
  });

  test('a large weight is not starved by small ones that arrive later', async () => {
    const [one, two] = await start({ limit: 3 });
    const small = [await one.acquire(), await two.acquire()];
    const large = await one.wait({ weight: 3 });
    const later = await two.wait();
    await small[0]?.release();
    await expectStored(one, { inflight: 1 });
    expect(await two.do('stored')).toMatchObject({ inflight: 1, queued: 2 });
    await small[1]?.release();
    await (await large.held).release();
    await later.held;
  });
}

/** Tests how long a grant takes. Must not run concurrently with other tests, since it measures time. */
export function grantDelaySuite(start: QueueDriver['start']): void {
  test('a waiter is granted within 50 ms of the release in another process', async () => {
    const [one, two] = await start({ limit: 1 });
    const delays: number[] = [];
    for (let i = 0; i < 11; i++) {
      const held = await one.acquire();
      const { held: next } = await two.wait();
      const released = await held.release();
      const permit = await next;
      delays.push(permit.at - released);
      await permit.release();
    }
    expect(delays.sort((a, b) => a - b)[5]).toBeLessThan(50);
  });
}
