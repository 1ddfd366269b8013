import { expect, it } from 'vitest';
import { until } from '../../kit/until.ts';
import { type LeaseProbe, longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function queue(world: StoreWorld): void {
  it('grants in order of arrival over all processes, each lease once', async () => {
    const [one, two] = await world.pair();
    const probes: LeaseProbe[] = [await one.acquire()];
    for (const view of [two, one, two, two, one, one, two])
      probes.push(await view.acquire(longWait));
    for (const [at, probe] of probes.entries()) {
      if (at > 0) await probe.granted();
      const ahead = probes.slice(at + 1).flatMap(({ grants }) => grants);
      expect(ahead).toEqual([]);
      const { inflight, holders, queued } = await one.stats();
      expect({ inflight, holders, queued }).toEqual({
        ...{ inflight: 1, holders: 1, queued: probes.length - 1 - at },
      });
      expect((await probe.release()).state).toBe('ok');
    }
    expect(await two.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  it('pushes a grant only to the process that requested the lease', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    const held = await one.acquire({ weight: 2 });
    const mine = await one.acquire(longWait);
    const others = await two.acquire(longWait);
    await held.release();
    await until(
      () => mine.grants.length > 0 && others.grants.length > 0,
      'the store did not push both grants',
    );
    const granted = [one, two].map(({ process }) => new Set(process.grants.map(({ id }) => id)));
    expect(granted).toEqual([new Set([mine.id]), new Set([others.id])]);
  });

  it('reports the grant to a waiter that polls', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const waiting = await two.acquire(longWait);
    expect(await waiting.do('stay')).toMatchObject({ state: 'queued', queued: 1 });
    await held.release();
    expect(await waiting.do('stay')).toMatchObject({ state: 'held', inflight: 1, queued: 0 });
    expect(await waiting.do('renew')).toMatchObject({ state: 'held', inflight: 1 });
  });

  it('does not starve a heavy request', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    const small = [await one.acquire(), await one.acquire(), await one.acquire()];
    const large = await two.acquire({ weight: 3, ...longWait });
    const after = await one.acquire(longWait);
    for (const probe of small) {
      expect([large, after].flatMap(({ grants }) => grants)).toEqual([]);
      await probe.release();
    }
    await large.granted();
    expect(await after.do('stay')).toMatchObject({ state: 'queued', inflight: 3 });
    await large.release();
    await after.granted();
  });

  it('grants two leases, one after the other, that each need the whole limit', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    const all = { weight: 2, ...longWait };
    const probes = await Promise.all([one.acquire(all), two.acquire(all)]);
    const held = probes.find(({ state }) => state === 'held');
    const waiting = probes.find(({ state }) => state === 'queued');
    await held?.release();
    await waiting?.granted();
    expect(await waiting?.release()).toMatchObject({ state: 'ok', inflight: 0, queued: 0 });
  });

  it('one release grants as many waiters as fit', async () => {
    const [one, two] = await world.pair({ limit: 4 });
    const held = await one.acquire({ weight: 4 });
    const small = [await two.acquire(longWait), await one.acquire({ weight: 2, ...longWait })];
    const large = await one.acquire({ weight: 2, ...longWait });
    expect(await held.release()).toMatchObject({ inflight: 3, queued: 1 });
    for (const probe of small) await probe.granted();
    expect((await large.do('stay')).state).toBe('queued');
  });

  it('grants waiters that fit behind a withdrawn lease', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    const held = await one.acquire();
    const large = await two.acquire({ weight: 2, ...longWait });
    const small = await one.acquire(longWait);
    const last = await two.acquire(longWait);
    expect(await last.release()).toMatchObject({
      ...{ state: 'ok', inflight: 1, queued: 2 },
    });
    expect(await large.release()).toMatchObject({ state: 'ok', inflight: 2, queued: 0 });
    await small.granted();
    await held.release();
    await small.release();
    expect(await one.stats()).toMatchObject({ inflight: 0, queued: 0 });
    expect([...large.grants, ...last.grants]).toEqual([]);
  });
}
