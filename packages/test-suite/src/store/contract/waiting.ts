import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function waiting(world: StoreWorld): void {
  const part = 0.6 * world.lease;

  it('keeps waiters that poll, and never grants a waiter that has expired in the queue', async () => {
    const dying = await world.view({ expires: true });
    const others = await world.another(dying);
    const held = await others.acquire();
    const dead = await dying.acquire(longWait);
    const alive = await dying.acquire(longWait);
    const last = await others.acquire(longWait);
    await world.elapse(part);
    expect(await alive.do('stay')).toMatchObject({ state: 'queued', queued: 3 });
    await world.elapse(part);
    expect(await held.release()).toMatchObject({ inflight: 1, queued: 1 });
    await alive.granted();
    expect((await last.do('stay')).state).toBe('queued');
    expect(dead.grants).toEqual([]);
    expect((await dead.release()).state).toBe('lost');
  });

  it('never grants a waiter after its timeout', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const expiring = await two.acquire({ wait: part });
    const last = await two.acquire(longWait);
    await world.elapse(part + 50);
    await held.release();
    await last.granted();
    expect(expiring.grants).toEqual([]);
    expect(await two.stats()).toMatchObject({ holders: 1, queued: 0 });
  });

  it('a poll with a shorter timeout shortens the wait', async () => {
    const view = await world.view();
    await view.acquire();
    const expiring = await view.acquire(longWait);
    expiring.wishes = { ...expiring.wishes, wait: part };
    await expiring.do('stay');
    await world.elapse(part + 50);
    expect(await view.stats()).toMatchObject({ queued: 0 });
  });

  it('reclaims a permit granted to a waiter whose process has died', async () => {
    for (const wait of [50_000, 0.9 * world.lease]) {
      const dying = await world.view({ expires: true });
      const others = await world.another(dying);
      const held = await others.acquire();
      await dying.acquire({ wait });
      const last = await others.acquire(longWait);
      await world.elapse(part);
      expect(await held.release()).toMatchObject({ inflight: 1, queued: 1 });
      await world.elapse(0.5 * world.lease);
      expect((await last.do('stay')).state).toBe('held');
    }
  });

  it('an expired waiter counts neither against the queueLimit nor as reclaimed', async () => {
    const dying = await world.view({ expires: true });
    const others = await world.another(dying);
    await others.acquire();
    await dying.acquire({ ...longWait, queueLimit: 1 });
    await world.outlive();
    const { reply } = await others.acquire({ ...longWait, queueLimit: 1 });
    expect(reply).toMatchObject({ state: 'queued', queued: 1, reclaimed: 0 });
  });

  it('restores the position of a waiter that has expired and polls again', async () => {
    const dying = await world.view({ expires: true });
    const others = await world.another(dying);
    const held = await others.acquire();
    const away = await dying.acquire(longWait);
    const last = await others.acquire({ ...longWait, queueLimit: 1 });
    await world.outlive();
    expect(await last.do('stay')).toMatchObject({ state: 'queued', queued: 1 });
    // The waiter was queued before, so the queueLimit no longer applies to it.
    away.wishes = { ...away.wishes, queueLimit: 1 };
    expect(await away.do('stay')).toMatchObject({ state: 'queued', queued: 2 });
    await held.release();
    await away.granted();
    expect((await last.do('stay')).state).toBe('queued');
  });

  it('grants an expired waiter that polls again when the queue is empty', async () => {
    const dying = await world.view({ expires: true });
    const held = await dying.acquire();
    const away = await dying.acquire(longWait);
    await world.outlive();
    expect((await held.release()).state).toBe('lost');
    expect(await away.do('stay')).toMatchObject({ state: 'held', inflight: 1, queued: 0 });
  });
}
