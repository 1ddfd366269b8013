import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function admission(world: StoreWorld): void {
  it('admits weight up to the limit, over all processes', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    const first = await one.acquire({ weight: 2 });
    expect(first.reply).toMatchObject({ state: 'held', inflight: 2, queued: 0, limit: 3 });
    expect((await two.acquire({ weight: 2 })).reply).toMatchObject({ state: 'full', inflight: 2 });
    expect((await two.acquire()).reply).toMatchObject({ state: 'held', inflight: 3 });
    expect((await one.acquire()).state).toBe('full');
    expect(await first.release()).toMatchObject({ state: 'ok', inflight: 1, queued: 0 });
    expect((await two.acquire({ weight: 2 })).reply).toMatchObject({ state: 'held', inflight: 3 });
  });

  it('never exceeds the limit with many concurrent requests', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    const asked = Array.from({ length: 50 }, (_, at) => (at % 2 ? one : two).acquire());
    const states = (await Promise.all(asked)).map(({ state }) => state);
    expect(states.filter((state) => state === 'held').length).toBe(3);
    expect(states.filter((state) => state === 'full').length).toBe(47);
  });

  it('queues requests that may wait', async () => {
    const [one, two] = await world.pair();
    await one.acquire();
    expect((await two.acquire({ wait: 0 })).state).toBe('full');
    const { reply } = await two.acquire({ ...longWait, queueLimit: Infinity });
    expect(reply).toMatchObject({ state: 'queued', inflight: 1, queued: 1, reclaimed: 0 });
    expect(reply.checkIn).toBeGreaterThan(0);
    expect(reply.checkIn).toBeLessThanOrEqual(two.process.store.leaseDuration);
  });

  it('never lets a new request overtake queued ones', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    await one.acquire({ weight: 2 });
    const large = await two.acquire({ weight: 2, ...longWait });
    expect(large.state).toBe('queued');
    expect((await one.acquire()).reply).toMatchObject({
      ...{ state: 'full', inflight: 2, queued: 1 },
    });
    expect((await two.acquire(longWait)).reply).toMatchObject({
      ...{ state: 'queued', queued: 2 },
    });
  });

  it('enforces the queueLimit over all processes', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const wishes = { ...longWait, queueLimit: 2 };
    expect((await one.acquire({ ...wishes, queueLimit: 0 })).state).toBe('full');
    const first = await one.acquire(wishes);
    const second = await two.acquire(wishes);
    expect([first.state, second.state]).toEqual(['queued', 'queued']);
    expect((await two.acquire(wishes)).reply).toMatchObject({ state: 'full', queued: 2 });
    await held.release();
    expect((await one.acquire(wishes)).state).toBe('queued');
  });
}
