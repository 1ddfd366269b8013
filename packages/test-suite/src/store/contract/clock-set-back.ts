import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function clockSetBack(world: StoreWorld): void {
  const part = 0.4 * world.lease;
  const setBack = () => world.driver.setBack?.(20 * world.lease);

  it('a dead process loses its permits within a lease, and living ones keep theirs', async () => {
    const dying = await world.view({ limit: 2, expires: true });
    const others = await world.another(dying, { expires: true });
    await dying.acquire();
    const alive = await others.acquire();
    await setBack();
    const waiting = await others.acquire(longWait);
    expect(waiting.state).toBe('queued');
    for (let passed = 0; passed < 3; passed++) {
      await world.elapse(part);
      expect(await alive.do('renew')).toMatchObject({ state: 'held' });
      await waiting.do('stay');
    }
    expect(waiting.state).toBe('held');
    expect(await others.stats()).toMatchObject({ inflight: 2, holders: 2, queued: 0 });
  });

  it('a dead process that has the only permit loses it within a lease', async () => {
    const dying = await world.view({ expires: true });
    const others = await world.another(dying, { expires: true });
    await dying.acquire();
    await setBack();
    expect((await others.acquire()).state).toBe('full');
    await world.outlive();
    expect((await others.acquire()).reply).toMatchObject({ state: 'held', reclaimed: 1 });
  });

  it('a dead waiter delays the waiters behind it for a lease at most', async () => {
    const dying = await world.view({ expires: true });
    const others = await world.another(dying, { expires: true });
    const alive = await others.acquire();
    await dying.acquire(longWait);
    const waiting = await others.acquire(longWait);
    await setBack();
    for (let passed = 0; passed < 3; passed++) {
      expect(await alive.do('renew')).toMatchObject({ state: 'held' });
      expect(await waiting.do('stay')).toMatchObject({ state: 'queued' });
      await world.elapse(part);
    }
    expect(await alive.release()).toMatchObject({ state: 'ok', inflight: 1, queued: 0 });
    expect((await waiting.do('stay')).state).toBe('held');
  });
}
