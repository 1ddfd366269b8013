import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

const down = expect.objectContaining({
  name: 'StoreError',
  code: expect.stringMatching(/^ERR_HEADGATE_STORE_/),
});

export function closing(world: StoreWorld): void {
  it('replies with errors after close(), and never rejects', async () => {
    const view = await world.view();
    const probe = await view.acquire();
    const { store } = view.process;
    await store.close();
    await store.close();
    const ops = [probe.op('renew'), view.probe().op('acquire'), view.setLimitOp(2)];
    const answers = await view.process.send(ops);
    expect(answers).toEqual(ops.map(() => ({ error: down })));
    await expect(store.stats(view.ref)).rejects.toEqual(down);
  });

  it('close() neither releases held leases nor affects other stores', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    const held = await one.acquire();
    await one.process.store.close();
    expect((await two.acquire()).reply).toMatchObject({ state: 'held', inflight: 2 });
    const unknown = two.probe();
    expect(await unknown.release()).toMatchObject({ state: 'lost', inflight: 2 });
    expect(held.grants).toEqual([]);
  });

  it('pushes nothing to a removed listener', async () => {
    const [one, two] = await world.pair();
    const held = await two.acquire();
    const unheard = await one.acquire(longWait);
    const hearing = await two.acquire(longWait);
    one.process.unlisten();
    await held.release();
    expect((await unheard.do('stay')).state).toBe('held');
    await unheard.release();
    await hearing.granted();
    expect(unheard.grants).toEqual([]);
  });
}
