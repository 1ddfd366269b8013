import { expect, it } from 'vitest';
import { until } from '../../kit/until.ts';
import type { LimitView } from '../limit-view.ts';
import type { StoreWorld } from '../store-world.ts';

const patient = { wait: 50_000 };

export function recalls(world: StoreWorld): void {
  const of = ({ process, name, key }: LimitView) =>
    process.recalls.filter((ref) => ref.name === name && ref.key === key).length;

  it('asks for reserves when others begin to wait, and while they do', async () => {
    const key = world.can.keys ? 'a key' : undefined;
    const [one, two] = await world.pair({ key });
    await one.acquire({ reserves: true });
    expect((await two.acquire()).state).toBe('full');
    const waiting = await two.acquire(patient);
    await until(() => of(one) > 0);
    const before = of(one);
    await waiting.do('stay');
    await until(() => of(one) > before);
    expect(two.process.recalls).toEqual([]);
  });

  it('asks for them of who was let in from the line, too', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const reserving = await two.acquire({ reserves: true, ...patient });
    await held.release();
    await reserving.granted();
    await one.acquire(patient);
    await until(() => of(two) > 0);
  });

  it('asks nobody who has none', async () => {
    const one = await world.view({ limit: 2 });
    const two = await world.another(one);
    const released = await one.acquire({ reserves: true });
    await released.release();
    await one.acquire({ weight: 2 });
    await two.acquire(patient);
    // Its process is told of another limit, and so has been told of this one.
    const other = world.beside(one);
    await other.acquire({ reserves: true });
    await world.beside(two, other.name).acquire(patient);
    await until(() => of(other) > 0);
    expect(of(one)).toBe(0);
  });
}
