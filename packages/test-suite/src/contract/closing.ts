import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { aRound, counts } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

export function closing(world: World): void {
  it('close() lets running requests finish and rejects queued and new ones', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 2 });
    const waiters = [app.raw(), app.raw()];
    for (const waiter of waiters) waiter.request('GET /waiter');
    await counts(limit, 1, 2);
    const closed = limit.close();
    expect(limit.queued).toBe(0);
    const comer = app.raw();
    comer.request('GET /comer');
    for (const raw of [...waiters, comer]) {
      await raw.receives(/"reason":"closed"/);
      expect(raw.received).toMatch(/^HTTP\/1\.1 503 /);
      if (world.seesConnections) expect(raw.received).toMatch(/\r\nconnection: close\r\n/i);
      expect(raw.received).toMatch(/\r\nretry-after: [1-9]/i);
    }
    let drained = false;
    void closed.then(() => {
      drained = true;
    });
    await aRound();
    expect(drained).toBe(false);
    work.finishAll();
    expect(await holder.answer()).toMatchObject({ status: 200, body: '/holder' });
    expect(await closed).toBe(0);
    expect(await limit.close()).toBe(0);
    expect(limit.stats().rejected).toMatchObject({ closed: 3, full: 0, timeout: 0 });
  });

  it('close() resolves to the number of running requests after its timeout', async () => {
    const clock = new VirtualClock();
    const { limit, work, holder } = await busy(world, { clock });
    const signal = work.begun[0]?.admission?.permit?.signal;
    const closed = limit.close({ timeout: 1000 });
    clock.advance(1000);
    expect(await closed).toBe(1);
    expect(signal?.reason).toMatchObject({ code: 'ERR_HEADGATE_CLOSED' });
    work.finishAll();
    expect(await holder.answer()).toMatchObject({ status: 200 });
  });

  it('close() resolves immediately if no request is running', async () => {
    const limit = world.limit({ limit: 1 });
    expect(await limit.close()).toBe(0);
  });
}
