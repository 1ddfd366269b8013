import { expect, it } from 'vitest';
import { patient } from '../claim.ts';
import type { StoreWorld } from '../store-world.ts';

export function waiting(world: StoreWorld): void {
  const part = 0.6 * world.lease;

  it('keeps who stays, and lets in nobody who has died in the line', async () => {
    const dying = await world.view({ expires: true });
    const others = await world.another(dying);
    const held = await others.acquire();
    const dead = await dying.acquire(patient);
    const alive = await dying.acquire(patient);
    const last = await others.acquire(patient);
    await world.elapse(part);
    expect(await alive.do('stay')).toMatchObject({ state: 'queued', queued: 3 });
    await world.elapse(part);
    expect(await held.release()).toMatchObject({ inflight: 1, queued: 1 });
    await alive.granted();
    expect((await last.do('stay')).state).toBe('queued');
    expect(dead.grants).toEqual([]);
    expect((await dead.release()).state).toBe('lost');
  });

  it('lets nobody in whose time to wait is over', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const hasty = await two.acquire({ wait: part });
    const last = await two.acquire(patient);
    await world.elapse(part + 50);
    await held.release();
    await last.granted();
    expect(hasty.grants).toEqual([]);
    expect(await two.stats()).toMatchObject({ holders: 1, queued: 0 });
  });

  it('shortens the wait of who stays for less', async () => {
    const view = await world.view();
    await view.acquire();
    const hasty = await view.acquire(patient);
    hasty.wishes = { ...hasty.wishes, wait: part };
    await hasty.do('stay');
    await world.elapse(part + 50);
    expect(await view.stats()).toMatchObject({ queued: 0 });
  });

  it('takes back in time what was given to one who had died in the line', async () => {
    for (const wait of [50_000, 0.9 * world.lease]) {
      const dying = await world.view({ expires: true });
      const others = await world.another(dying);
      const held = await others.acquire();
      await dying.acquire({ wait });
      const last = await others.acquire(patient);
      await world.elapse(part);
      expect(await held.release()).toMatchObject({ inflight: 1, queued: 1 });
      await world.elapse(0.5 * world.lease);
      expect((await last.do('stay')).state).toBe('held');
    }
  });

  it('makes room for others where who waits has died', async () => {
    const dying = await world.view({ expires: true });
    const others = await world.another(dying);
    await others.acquire();
    await dying.acquire({ ...patient, queueLimit: 1 });
    await world.outlive();
    const { reply } = await others.acquire({ ...patient, queueLimit: 1 });
    expect(reply).toMatchObject({ state: 'queued', queued: 1 });
  });

  if (!world.can.place) return;
  it('gives its place back to who was away for too long', async () => {
    const dying = await world.view({ expires: true });
    const others = await world.another(dying);
    const held = await others.acquire();
    const away = await dying.acquire(patient);
    const last = await others.acquire({ ...patient, queueLimit: 1 });
    await world.outlive();
    expect(await last.do('stay')).toMatchObject({ state: 'queued', queued: 1 });
    // It has been in the line before, whatever the queueLimit says now.
    away.wishes = { ...away.wishes, queueLimit: 1 };
    expect(await away.do('stay')).toMatchObject({ state: 'queued', queued: 2 });
    await held.release();
    await away.granted();
    expect((await last.do('stay')).state).toBe('queued');
  });

  it('lets in who comes back to an empty line', async () => {
    const dying = await world.view({ expires: true });
    const held = await dying.acquire();
    const away = await dying.acquire(patient);
    await world.outlive();
    expect((await held.release()).state).toBe('lost');
    expect(await away.do('stay')).toMatchObject({ state: 'held', inflight: 1, queued: 0 });
  });
}
