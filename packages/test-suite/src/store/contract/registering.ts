import { expect, it } from 'vitest';
import { EXTRA_TOKENS, longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function registering(world: StoreWorld): void {
  it('are counted once, even beyond the limit', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const registered = two.probe({ weight: 1 });
    for (let turn = 0; turn < 2; turn++) {
      expect(await registered.do('register')).toMatchObject({ state: 'held', inflight: 2 });
    }
    expect(await registered.do('renew')).toMatchObject({ state: 'held', inflight: 2 });
    const waiting = await one.acquire(longWait);
    expect(await held.release()).toMatchObject({ inflight: 1, queued: 1 });
    expect(await registered.release()).toMatchObject({ state: 'ok', inflight: 1, queued: 0 });
    await waiting.granted();
  });

  it('are removed from the queue if they were queued', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const waiting = await two.acquire(longWait);
    expect(await waiting.do('register')).toMatchObject({ state: 'held', inflight: 2, queued: 0 });
    await held.release();
    expect(await waiting.release()).toMatchObject({ state: 'ok', inflight: 0, queued: 0 });
    expect((await waiting.release()).state).toBe('lost');
  });

  it('expire like any lease', async () => {
    const dying = await world.view({ expires: true });
    await dying.probe().do('register');
    const others = await world.another(dying);
    expect((await others.acquire()).state).toBe('full');
    await world.outlive();
    expect((await others.acquire()).reply).toMatchObject({
      ...{ state: 'held', reclaimed: 1 },
    });
  });

  it('get a higher token than all earlier ones', async () => {
    const extraTokens = EXTRA_TOKENS;
    const extra = BigInt(extraTokens);
    const [one, two] = await world.pair({ limit: 2 });
    const first = await one.acquire({ extraTokens });
    const registered = two.probe({ extraTokens });
    await registered.do('register');
    expect(registered.fencing).toBeGreaterThan((first.fencing as bigint) + extra);
    const last = await one.acquire();
    expect(last.state).toBe('full');
    await first.release();
    expect((await one.acquire()).fencing).toBeGreaterThan((registered.fencing as bigint) + extra);
  });
}
