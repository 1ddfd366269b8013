import { expect, test, vi } from 'vitest';
import type { RemoteLimiter } from './remote-limiter.ts';
import type { Saving } from './settings.ts';

type SavingLimit = Saving & { limit: number; name?: string };

export interface SavingDriver {
  /** Starts processes that share a limit. Processes of several calls share it too if the calls have the same name. */
  start(count: number, options: SavingLimit): Promise<RemoteLimiter[]>;
  /** Maximum milliseconds until the permits of a dead process are available. */
  readonly back: number;
}

let names = 0;

/** Tests, in real processes, of permits that are handed off or held in reserve without a round trip. */
export function savingSuite({ start, back }: SavingDriver): void {
  const pair = (options: SavingLimit) =>
    start(2, options) as Promise<[RemoteLimiter, RemoteLimiter]>;

  const isEmpty = (one: RemoteLimiter) =>
    vi.waitFor(
      async () => expect(await one.do('stored')).toMatchObject({ inflight: 0, queued: 0 }),
      5_000,
    );

  test('hand-off: tokens increase from permit to permit, and the other process is served as well', async () => {
    const [one, two] = await pair({ limit: 1, handoff: 5 });
    let held = await one.acquire();
    const served: string[] = [];
    const queue = [
      ...Array.from({ length: 20 }, () => ({ who: 'one', held: one.acquire() })),
      ...Array.from({ length: 3 }, () => ({ who: 'two', held: two.acquire() })),
    ];
    await two.saw('queued', 3);
    while (queue.length > 0) {
      await held.release();
      const [next, at] = await Promise.race(
        queue.map(({ held }, i) => held.then((permit) => [permit, i] as const)),
      );
      served.push(queue.splice(at, 1)[0]?.who as string);
      expect(next.fencing).toBeGreaterThan(held.fencing as bigint);
      held = next;
    }
    await held.release();
    expect(served.indexOf('two')).toBeLessThan(20);
    await isEmpty(two);
  });

  test('hand-off: a process that is killed between two permits keeps none of them', async () => {
    const [one, two] = await pair({ limit: 1, handoff: 5 });
    await two.do('stored');
    const first = await one.acquire();
    const [second] = [one.acquire(), one.acquire().catch(() => {})];
    await one.saw('queued', 2);
    const waiting = await two.wait();
    await first.release();
    const { fencing } = await second;
    await one.worker.kill();
    const killed = performance.now();
    expect((await waiting.held).fencing).toBeGreaterThan(fencing as bigint);
    expect(performance.now() - killed).toBeLessThan(back);
  });

  test("reserve: another process's waiters get the permits in reserve, and never more than the limit", async () => {
    const [one, two] = await pair({ limit: 2, reserve: 2 });
    for (let i = 0; i < 10; i++) {
      const held = await Promise.all([one.acquire(), one.acquire()]);
      await Promise.all(held.map((permit) => permit.release()));
      const others = await Promise.all([two.acquire(), two.acquire()]);
      expect(await one.do('stored')).toMatchObject({ inflight: 2 });
      await Promise.all(others.map((permit) => permit.release()));
    }
    for (const process of [one, two]) {
      expect(await process.do('stats')).toMatchObject({ inflight: 0, distributed: { lost: 0 } });
    }
  });

  test('reserve: permits in reserve of a killed process become available', async () => {
    const options = { limit: 4, name: `kept by the dead, ${++names}` };
    const [one] = (await start(1, { ...options, reserve: 4 })) as [RemoteLimiter];
    const [two] = (await start(1, options)) as [RemoteLimiter];
    const kept = await Promise.all(Array.from({ length: 4 }, () => one.acquire()));
    await two.do('stored');
    await Promise.all(kept.map((permit) => permit.release()));
    await one.worker.kill();
    const killed = performance.now();
    await Promise.all(Array.from({ length: 4 }, () => two.acquire()));
    expect(performance.now() - killed).toBeLessThan(back);
  });
}
