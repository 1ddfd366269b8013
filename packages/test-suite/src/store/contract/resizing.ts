import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function resizing(world: StoreWorld): void {
  it('counts the new weight of a permit, even above the limit', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    const held = await one.acquire();
    expect(await held.resize(3)).toMatchObject({ state: 'held', inflight: 3 });
    expect((await two.acquire()).state).toBe('full');
    expect(await held.resize(5)).toMatchObject({ state: 'held', inflight: 5 });
    expect(await held.resize(5)).toMatchObject({ state: 'held', inflight: 5 });
    expect(await held.do('renew')).toMatchObject({ state: 'held', inflight: 5 });
    expect(await held.release()).toMatchObject({ state: 'ok', inflight: 0 });
  });

  it('a renewal applies the weight of a resize that was lost', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    const held = await one.acquire();
    held.wishes = { ...held.wishes, weight: 3 };
    held.resized = true;
    expect(await held.do('renew')).toMatchObject({ state: 'held', inflight: 3 });
    expect((await two.acquire()).state).toBe('full');
    expect(await held.release()).toMatchObject({ state: 'ok', inflight: 0 });
  });

  it("grants waiters that fit when a permit's weight falls", async () => {
    const [one, two] = await world.pair({ limit: 3 });
    const held = await one.acquire({ weight: 3 });
    const waiting = await two.acquire({ weight: 2, ...longWait });
    expect(await held.resize(2)).toMatchObject({ inflight: 2, queued: 1 });
    expect(await held.resize(1)).toMatchObject({ inflight: 3, queued: 0 });
    await waiting.granted();
  });

  it('reclaims the current weight when the lease expires', async () => {
    const dying = await world.view({ limit: 3, expires: true });
    await (await dying.acquire()).resize(3);
    await world.outlive();
    const others = await world.another(dying);
    expect((await others.acquire()).reply).toMatchObject({
      ...{ inflight: 1, reclaimed: 1 },
    });
  });

  it('replies `lost` for a lease that is not held', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    const held = await one.acquire({ weight: 2 });
    const waiting = await two.acquire(longWait);
    expect(await waiting.resize(2)).toMatchObject({ state: 'lost', inflight: 2, queued: 1 });
    expect(await two.probe().resize(2)).toMatchObject({ state: 'lost', inflight: 2, queued: 1 });
    await held.release();
    expect(await held.resize(1)).toMatchObject({ state: 'lost', inflight: 1, queued: 0 });
  });
}
