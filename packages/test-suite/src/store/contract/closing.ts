import { expect, it } from 'vitest';
import type { StoreWorld } from '../store-world.ts';

const patient = { wait: 50_000 };
const down = expect.objectContaining({
  name: 'StoreError',
  code: expect.stringMatching(/^ERR_HEADGATE_STORE_/),
});

export function closing(world: StoreWorld): void {
  it('answers with errors once it is closed, and never rejects', async () => {
    const view = await world.view();
    const claim = await view.acquire();
    const { store } = view.process;
    await store.close();
    await store.close();
    const ops = [claim.op('renew'), view.claim().op('acquire'), view.setLimitOp(2)];
    const answers = await view.process.send(ops);
    expect(answers).toEqual(ops.map(() => ({ error: down })));
    await expect(store.stats(view.ref)).rejects.toEqual(down);
  });

  it('leaves what is held to its lease, and others alone', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    const held = await one.acquire();
    await one.process.store.close();
    expect((await two.acquire()).reply).toMatchObject({ state: 'held', inflight: 2 });
    const stray = two.claim();
    expect(await stray.release()).toMatchObject({ state: 'lost', inflight: 2 });
    expect(held.grants).toEqual([]);
  });

  it('tells nobody anything who listens no more', async () => {
    const [one, two] = await world.pair();
    const held = await two.acquire();
    const deaf = await one.acquire(patient);
    const hearing = await two.acquire(patient);
    one.process.unlisten();
    await held.release();
    expect((await deaf.do('stay')).state).toBe('held');
    await deaf.release();
    await hearing.granted();
    expect(deaf.grants).toEqual([]);
  });
}
