import { expect, it, vi } from 'vitest';
import { type LeaseProbe, type LimitView, longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

const times = ({ process, name, key }: LimitView) =>
  process.recalls.filter((ref) => ref.name === name && ref.key === key).length;

/** Polls for the waiter until the holder has been recalled this many times or more. */
async function recalled(holder: LimitView, waiting: LeaseProbe, minTimes = 1): Promise<void> {
  const look = async () => {
    if (times(holder) < minTimes) expect((await waiting.do('stay')).state).toBe('queued');
    expect(times(holder)).toBeGreaterThanOrEqual(minTimes);
  };
  await vi.waitFor(look, { timeout: 10_000, interval: 20 });
}

export function recalls(world: StoreWorld): void {
  it('recalls reserves while other processes wait', async () => {
    const key = 'a key';
    const [one, two] = await world.pair({ key });
    await one.acquire({ reserves: true });
    expect((await two.acquire()).state).toBe('full');
    const waiting = await two.acquire(longWait);
    await recalled(one, waiting);
    await recalled(one, waiting, times(one) + 1);
    expect(two.process.recalls).toEqual([]);
  });

  it('recalls reserves when another process begins to wait', async () => {
    const [one, two] = await world.pair();
    // Shows that its process receives recalls at all.
    await one.acquire({ reserves: true });
    const waiting = await two.acquire(longWait);
    await recalled(one, waiting);
    await waiting.release();
    const before = times(one);
    await two.acquire(longWait);
    await vi.waitFor(() => expect(times(one)).toBeGreaterThan(before), { timeout: 10_000 });
  });

  it('recalls the reserves of a lease that was granted from the queue', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const reserving = await two.acquire({ reserves: true, ...longWait });
    await held.release();
    await reserving.granted();
    await recalled(two, await one.acquire(longWait));
  });

  it('does not recall from a process without reserves', async () => {
    const one = await world.view({ limit: 2 });
    const two = await world.another(one);
    const released = await one.acquire({ reserves: true });
    await released.release();
    await one.acquire({ weight: 2 });
    await (await two.acquire(longWait)).do('stay');
    // Its process gets a recall for another limit, so one for this limit would have arrived as well.
    const other = world.beside(one);
    await other.acquire({ reserves: true });
    await recalled(other, await world.beside(two, other.name).acquire(longWait));
    expect(times(one)).toBe(0);
  });
}
