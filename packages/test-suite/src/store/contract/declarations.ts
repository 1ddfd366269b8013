import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function declarations(world: StoreWorld): void {
  it('raising a limit admits waiters in order of arrival', async () => {
    const [one, two] = await world.pair();
    await one.acquire();
    const [first, second] = [await two.acquire(longWait), await one.acquire(longWait)];
    const third = await two.acquire(longWait);
    const reply = await two.setLimit(3);
    expect(reply).toMatchObject({ state: 'ok', inflight: 3, queued: 1, limit: 3 });
    await Promise.all([first.granted(), second.granted()]);
    expect(await third.do('stay')).toMatchObject({ state: 'queued', limit: 3 });
  });

  it('lowering a limit revokes nothing, and nothing is granted until enough weight is released', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    const held = [await one.acquire(), await two.acquire(), await one.acquire()];
    const waiting = await two.acquire(longWait);
    expect(await one.setLimit(1)).toMatchObject({ inflight: 3, queued: 1, limit: 1 });
    for (const [at, probe] of held.entries()) {
      expect(waiting.grants).toEqual([]);
      expect(await probe.do('renew')).toMatchObject({ state: 'held', inflight: 3 - at, limit: 1 });
      await probe.release();
    }
    await waiting.granted();
    expect((await two.acquire()).state).toBe('full');
  });

  it('a waiter heavier than a lowered limit is granted alone', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    const held = await one.acquire();
    const large = await two.acquire({ weight: 3, ...longWait });
    const small = await one.acquire(longWait);
    await one.setLimit(2);
    await held.release();
    await large.granted();
    expect(await small.do('stay')).toMatchObject({ state: 'queued', inflight: 3, limit: 2 });
    await large.release();
    await small.granted();
  });

  it('applies the latest of two declarations, and informs the other process', async () => {
    const one = await world.view({ limit: 1 });
    const two = await world.another(one, { limit: 2 });
    const first = await one.acquire();
    const { version } = first.reply;
    const second = await two.acquire();
    expect(second.reply).toMatchObject({ state: 'held', inflight: 2, limit: 2 });
    expect(second.reply.version).not.toBe(version);
    // The next operation of the first process does not restore its older declaration.
    expect(await first.do('renew')).toMatchObject({ limit: 2, version: second.reply.version });
    expect(one.ref.limit).toBe(2);
    expect(await two.stats()).toMatchObject({ limit: 2, version: second.reply.version });
  });

  it('if two limits have the same version, the lower one applies', async () => {
    const one = await world.view({ limit: 4 });
    const { version } = await one.setLimit(3);
    // Repeats the call, since the store may use a faster way once the process knows the limit.
    for (let count = 0; count < 2; count++) await (await one.acquire()).release();
    const two = await world.another(one);
    expect(await two.know(2, version)).toMatchObject({ limit: 2, version });
    expect((await one.acquire()).reply).toMatchObject({ state: 'held', limit: 2, version });
    const three = await world.another(one);
    expect(await three.know(5, version)).toMatchObject({ limit: 2, version });
    const waiting = await one.acquire({ weight: 2, ...longWait });
    expect(waiting.reply).toMatchObject({ state: 'queued', limit: 2, version });
    expect(await three.setLimit(3)).toMatchObject({ inflight: 3, limit: 3 });
    await waiting.granted();
  });

  it('an equal declaration does not change the version', async () => {
    const one = await world.view({ limit: 2 });
    const { version } = (await one.acquire()).reply;
    const two = await world.another(one);
    expect((await two.acquire()).reply).toMatchObject({ limit: 2, version });
    expect(await two.setLimit(2)).toMatchObject({ limit: 2, version });
  });

  it('a limit of version 0 never replaces a declared limit', async () => {
    const one = await world.view({ limit: 4 });
    const { version } = (await one.acquire()).reply;
    const two = await world.another(one);
    expect(await two.know(1, '0')).toMatchObject({ limit: 4, version });
    expect((await one.acquire()).reply).toMatchObject({ state: 'held', limit: 4, version });
    const fresh = await world.view({ limit: 1 });
    await fresh.know(1, '0');
    expect(await (await world.another(fresh)).setLimit(3)).toMatchObject({ limit: 3 });
  });

  it('a set limit still applies when another process starts with the declared limit', async () => {
    const one = await world.view({ limit: 4 });
    await one.acquire();
    const { version } = await one.setLimit(2);
    const started = await world.another(one, { limit: 4 });
    expect((await started.acquire()).reply).toMatchObject({ state: 'held', limit: 2, version });
    expect(await one.operate({})).toMatchObject({ limit: 2, version, declared: [4] });
    expect(await one.stats()).toMatchObject({ limit: 2 });
  });

  it('declaring another number replaces a set limit for good, whichever process restarts later', async () => {
    const one = await world.view({ limit: 4 });
    await one.acquire();
    await one.setLimit(2);
    const started = await world.another(one, { limit: 5 });
    expect((await started.acquire()).reply).toMatchObject({ limit: 5, declared: [5, 4] });
    expect(await one.operate({})).toMatchObject({ limit: 5 });
    for (const limit of [4, 5]) {
      const restarted = await world.another(one, { limit });
      expect((await restarted.acquire()).reply).toMatchObject({ limit });
    }
  });

  it('processes that start with either of the last two declared numbers do not undo a set limit', async () => {
    const one = await world.view({ limit: 4 });
    await one.acquire();
    await (await world.another(one, { limit: 5 })).acquire();
    const { version } = await one.setLimit(2);
    for (const limit of [4, 5, 4]) {
      const started = await world.another(one, { limit });
      expect((await started.acquire({ wait: 0 })).reply).toMatchObject({ limit: 2, version });
    }
    const deployed = await world.another(one, { limit: 6 });
    expect((await deployed.acquire()).reply).toMatchObject({ state: 'held', limit: 6 });
  });

  it('setting the declared number has the same effect as never setting a limit', async () => {
    const one = await world.view({ limit: 5 });
    const two = await world.another(one, { limit: 4 });
    await one.acquire();
    await two.acquire();
    await one.setLimit(2);
    expect(await two.setLimit(4)).toMatchObject({ limit: 4, declared: [4, 5] });
    const started = await world.another(one, { limit: 5 });
    expect((await started.acquire()).reply).toMatchObject({ limit: 5 });
  });

  it('setLimit works repeatedly and before any lease is requested', async () => {
    const one = await world.view({ limit: 5 });
    const { version } = await one.setLimit(1);
    expect(await one.setLimit(1)).toMatchObject({ state: 'ok', inflight: 0, limit: 1, version });
    expect((await one.acquire()).state).toBe('held');
    expect((await one.acquire()).state).toBe('full');
  });
}
