import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function repeats(world: StoreWorld): void {
  it('a repeated acquire is counted once', async () => {
    const view = await world.view({ limit: 2 });
    const held = await view.acquire();
    expect(await held.do('acquire')).toMatchObject({ state: 'held', inflight: 1 });
    expect(await held.release()).toMatchObject({ state: 'ok', inflight: 0 });
  });

  it('a repeated acquire is queued once, at the same position', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const wishes = { ...longWait, queueLimit: 2 };
    const first = await two.acquire(wishes);
    const second = await one.acquire(wishes);
    const { place } = first;
    expect(await first.do('acquire')).toMatchObject({ state: 'queued', queued: 2 });
    expect(await first.do('stay')).toMatchObject({ state: 'queued', queued: 2 });
    expect(await first.do('stay')).toMatchObject({ state: 'queued', queued: 2 });
    expect(first.place).toBe(place);
    await held.release();
    await first.granted();
    expect(await first.do('acquire')).toMatchObject({ state: 'held', inflight: 1, queued: 1 });
    expect((await second.do('stay')).state).toBe('queued');
  });

  it('a repeated renewal has no further effect', async () => {
    const view = await world.view({ limit: 2 });
    const held = await view.acquire({ weight: 2 });
    for (let turn = 0; turn < 3; turn++) {
      expect(await held.do('renew')).toMatchObject({ state: 'held', inflight: 2 });
    }
    await held.release();
    expect(await held.do('renew')).toMatchObject({ state: 'lost', inflight: 0 });
  });

  it('a repeated release is applied once', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    const held = await one.acquire();
    const other = await two.acquire();
    expect((await held.release()).state).toBe('ok');
    expect(await held.release()).toMatchObject({ state: 'lost', inflight: 1 });
    expect(await held.release()).toMatchObject({ state: 'lost', inflight: 1 });
    expect(await other.do('renew')).toMatchObject({ state: 'held', inflight: 1 });
  });

  it('releasing an unknown lease changes nothing', async () => {
    const [one, two] = await world.pair();
    await one.acquire();
    const waiting = await one.acquire(longWait);
    const unknown = two.probe();
    expect(await unknown.release()).toMatchObject({ state: 'lost', inflight: 1, queued: 1 });
    expect((await two.acquire()).state).toBe('full');
    expect((await waiting.do('stay')).state).toBe('queued');
  });
}
