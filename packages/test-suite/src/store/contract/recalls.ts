import { expect, it, vi } from 'vitest';
import type { Claim } from '../claim.ts';
import type { LimitView } from '../limit-view.ts';
import type { StoreWorld } from '../store-world.ts';

const patient = { wait: 50_000 };

const times = ({ process, name, key }: LimitView) =>
  process.recalls.filter((ref) => ref.name === name && ref.key === key).length;

/** Asks on behalf of who waits until the holder has been told so much. */
async function recalled(holder: LimitView, waiting: Claim, least = 1): Promise<void> {
  const look = async () => {
    if (times(holder) < least) expect((await waiting.do('stay')).state).toBe('queued');
    expect(times(holder)).toBeGreaterThanOrEqual(least);
  };
  await vi.waitFor(look, { timeout: 10_000, interval: 20 });
}

export function recalls(world: StoreWorld): void {
  it('asks for reserves while others wait', async () => {
    const key = world.can.keys ? 'a key' : undefined;
    const [one, two] = await world.pair({ key });
    await one.acquire({ reserves: true });
    expect((await two.acquire()).state).toBe('full');
    const waiting = await two.acquire(patient);
    await recalled(one, waiting);
    await recalled(one, waiting, times(one) + 1);
    expect(two.process.recalls).toEqual([]);
  });

  it('asks for them when others begin to wait', async () => {
    const [one, two] = await world.pair();
    // Its process hears what it is told: it has been told something.
    await one.acquire({ reserves: true });
    const waiting = await two.acquire(patient);
    await recalled(one, waiting);
    await waiting.release();
    const before = times(one);
    await two.acquire(patient);
    await vi.waitFor(() => expect(times(one)).toBeGreaterThan(before), { timeout: 10_000 });
  });

  it('asks for them of who was let in from the line, too', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const reserving = await two.acquire({ reserves: true, ...patient });
    await held.release();
    await reserving.granted();
    await recalled(two, await one.acquire(patient));
  });

  it('asks nobody who has none', async () => {
    const one = await world.view({ limit: 2 });
    const two = await world.another(one);
    const released = await one.acquire({ reserves: true });
    await released.release();
    await one.acquire({ weight: 2 });
    await (await two.acquire(patient)).do('stay');
    // Its process is told of another limit, and so has been told of this one.
    const other = world.beside(one);
    await other.acquire({ reserves: true });
    await recalled(other, await world.beside(two, other.name).acquire(patient));
    expect(times(one)).toBe(0);
  });
}
