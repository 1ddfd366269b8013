import { expect, it } from 'vitest';
import type { StoreWorld } from '../store-world.ts';

const error = expect.objectContaining({
  name: 'StoreError',
  code: 'ERR_HEADGATE_STORE_TIMEOUT',
});

export function hanging(world: StoreWorld): void {
  const hang = async () => world.driver.hang?.() ?? (() => {});

  it('replies with a timeout in time, and works again afterwards', async () => {
    const view = await world.view({ limit: 3 });
    const held = await view.acquire();
    const { store } = view.process;
    const go = await hang();
    try {
      const ops = [held.op('renew'), view.probe().op('acquire')];
      expect(await store.send(ops, 50)).toEqual([{ error }, { error }]);
    } finally {
      go();
    }
    expect(await held.do('renew')).toMatchObject({ state: 'held' });
    expect(await held.release()).toMatchObject({ state: 'ok' });
  });

  it('a timed-out operation may have been applied, and can be repeated', async () => {
    const [one, two] = await world.pair();
    const probe = one.probe();
    await one.acquire().then((first) => first.release());
    const go = await hang();
    try {
      expect(await one.process.store.send([probe.op('acquire')], 50)).toEqual([{ error }]);
    } finally {
      go();
    }
    expect(await probe.do('acquire')).toMatchObject({ state: 'held', inflight: 1 });
    expect((await two.acquire()).state).toBe('full');
    expect(await probe.release()).toMatchObject({ state: 'ok', inflight: 0 });
  });
}
