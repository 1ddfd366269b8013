import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

/** Milliseconds by which rounding may delay `checkIn`. */
const MAX_ROUNDING = 50;

export function holding(world: StoreWorld): void {
  const part = 0.6 * world.lease;

  it('a renewed lease does not expire', async () => {
    const dying = await world.view({ expires: true });
    const held = await dying.acquire();
    const others = await world.another(dying);
    for (const verb of ['renew', 'acquire', 'renew', 'stay'] as const) {
      await world.elapse(part);
      expect(await held.do(verb)).toMatchObject({ state: 'held', reclaimed: 0 });
    }
    expect((await others.acquire()).state).toBe('full');
  });

  it('each lease lasts as long as its process has requested', async () => {
    const brief = await world.view({ limit: 2, expires: true });
    const lasting = await world.another(brief);
    const dead = await brief.acquire();
    const alive = await lasting.acquire();
    for (const probe of [alive, dead]) {
      expect(await probe.do('renew')).toMatchObject({ state: 'held', inflight: 2 });
    }
    await world.outlive();
    expect(await alive.do('renew')).toMatchObject({
      ...{ state: 'held', inflight: 1, reclaimed: 1 },
    });
    expect(await dead.do('renew')).toMatchObject({ state: 'lost', inflight: 1 });
  });

  it('a lease that is longer than all before it lasts as long as its process has requested', async () => {
    const brief = await world.view({ expires: true });
    await brief.acquire().then((first) => first.release());
    const lasting = await world.another(brief);
    const alive = await lasting.acquire();
    for (let lease = 0; lease < 3; lease++) {
      expect((await brief.acquire()).reply).toMatchObject({ state: 'full', reclaimed: 0 });
      await world.outlive();
    }
    expect(await alive.do('renew')).toMatchObject({ state: 'held' });
  });

  it('a caller that must not wait gets what expired leases leave after the waiters', async () => {
    const dying = await world.view({ limit: 2, expires: true });
    await dying.acquire({ weight: 2 });
    const others = await world.another(dying);
    const waiting = await others.acquire(longWait);
    await world.outlive();
    expect((await others.acquire()).reply).toMatchObject({ state: 'held', inflight: 2, queued: 0 });
    await waiting.granted();
  });

  it('an expired lease is reclaimed at the next operation of any process', async () => {
    const dying = await world.view({ limit: 3, expires: true });
    const dead = [await dying.acquire(), await dying.acquire({ weight: 2 })];
    const others = await world.another(dying);
    const waiting = await others.acquire(longWait);
    await world.outlive();
    const unknown = (await world.another(dying)).probe();
    expect(await unknown.release()).toMatchObject({
      ...{ state: 'lost', reclaimed: 2, inflight: 1, queued: 0 },
    });
    await waiting.granted();
    for (const probe of dead) {
      expect(await probe.do('renew')).toMatchObject({ state: 'lost', inflight: 1, reclaimed: 0 });
      expect((await probe.release()).state).toBe('lost');
    }
  });

  it('an expired lease is lost even if no other process has taken its permit', async () => {
    const dying = await world.view({ expires: true });
    const held = await dying.acquire();
    await world.outlive();
    expect(await held.do('renew')).toMatchObject({
      ...{ state: 'lost', inflight: 0, reclaimed: 1 },
    });
    expect(await dying.stats()).toMatchObject({ inflight: 0, holders: 0 });
  });

  it('reports when the lease of a dead process will expire', async () => {
    const dying = await world.view({ expires: true });
    const others = await world.another(dying, { expires: true });
    await dying.acquire();
    const waiting = await others.acquire(longWait);
    let waited = 0;
    while (waiting.state === 'queued') {
      const { checkIn } = waiting.reply;
      expect(checkIn).toBeGreaterThan(0);
      expect(checkIn).toBeLessThan(world.lease);
      waited += checkIn;
      await world.elapse(checkIn);
      await waiting.do('stay');
    }
    expect(waiting.reply).toMatchObject({ state: 'held', reclaimed: 1 });
    // The permit was granted soon after the lease had expired.
    expect(waited).toBeLessThan(1.5 * world.lease);
  });

  it("reports the remaining time of a lease that ends before the waiter's", async () => {
    const dying = await world.view({ expires: true });
    const others = await world.another(dying);
    await dying.acquire();
    await world.elapse(0.8 * world.lease);
    const waiting = await others.acquire(longWait);
    // On a slow machine the lease has expired already.
    while (waiting.state === 'queued') {
      const { checkIn } = waiting.reply;
      expect(checkIn).toBeGreaterThan(0);
      expect(checkIn).toBeLessThanOrEqual(0.2 * world.lease + MAX_ROUNDING);
      await world.elapse(checkIn);
      await waiting.do('stay');
    }
    expect(waiting.reply).toMatchObject({ state: 'held', inflight: 1 });
  });
}
