import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function stats(world: StoreWorld): void {
  it('reports the state of a limit over all processes', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    await one.acquire({ weight: 2 });
    const { version } = (await two.acquire()).reply;
    expect(await two.stats()).toEqual({
      ...{ limit: 3, version, inflight: 3, holders: 2, queued: 0 },
      ...{ longestWait: 0, processes: 2 },
    });
    await two.acquire(longWait);
    await one.acquire(longWait);
    await world.elapse(30);
    const { longestWait, ...rest } = await one.stats();
    const holders = 2;
    const processes = 2;
    expect(rest).toEqual({ limit: 3, version, inflight: 3, holders, queued: 2, processes });
    expect(longestWait).toBeGreaterThan(25);
    expect(longestWait).toBeLessThan(20_000);
  });

  it('counts the processes that hold or await a lease', async () => {
    const [one, two] = await world.pair();
    const [held, again] = [await one.acquire(), await one.acquire(longWait)];
    expect((await two.stats()).processes).toBe(1);
    const waiting = await two.acquire(longWait);
    expect((await two.stats()).processes).toBe(2);
    for (const probe of [held, again]) await probe.release();
    expect((await one.stats()).processes).toBe(1);
    await waiting.release();
    expect((await one.stats()).processes).toBe(0);
  });

  it('leaves out expired leases', async () => {
    const dying = await world.view({ expires: true });
    await dying.acquire();
    await dying.acquire(longWait);
    await world.outlive();
    expect(await dying.stats()).toMatchObject({ inflight: 0, holders: 0, queued: 0 });
  });

  it('reports zeros for a limit that was never requested', async () => {
    const { process } = await world.view();
    expect(await process.store.stats({ name: world.name() })).toEqual({
      ...{ limit: 0, version: '', inflight: 0, holders: 0, queued: 0, longestWait: 0 },
      processes: 0,
    });
  });
}
