import { expect, it } from 'vitest';
import { until } from '../../kit/until.ts';
import { type LimitView, longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

const paused = { status: 'paused', mode: 'enforce' } as const;
const rejecting = { status: 'rejecting', mode: 'enforce' } as const;
const shadow = { status: 'open', mode: 'shadow' } as const;

function wasTold({ process, name, key }: LimitView): boolean {
  return process.operations.some((ref) => ref.name === name && ref.key === key);
}

export function operations(world: StoreWorld): void {
  it('a paused limit grants nothing; when it is opened again, it grants its waiters', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    const held = await one.acquire();
    expect(await two.operate({ status: 'paused' })).toMatchObject({
      ...{ state: 'ok', inflight: 1, operated: paused },
    });
    expect((await two.acquire()).state).toBe('full');
    const waiting = await one.acquire(longWait);
    expect(waiting.reply).toMatchObject({ state: 'queued', inflight: 1, operated: paused });
    expect((await held.do('renew')).state).toBe('held');
    expect(await held.release()).toMatchObject({ state: 'ok', inflight: 0, queued: 1 });
    expect((await waiting.do('stay')).state).toBe('queued');
    expect(waiting.grants).toEqual([]);
    expect((await two.operate({ status: 'open' })).inflight).toBe(1);
    await waiting.granted();
  });

  it('a rejecting limit rejects new leases and grants no queued one', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const waiting = await two.acquire(longWait);
    expect((await one.operate({ status: 'rejecting' })).operated).toMatchObject(rejecting);
    expect((await two.acquire(longWait)).reply).toMatchObject({
      state: 'full',
      operated: rejecting,
    });
    await held.release();
    expect(await waiting.do('stay')).toMatchObject({ state: 'queued', operated: rejecting });
    expect(await waiting.release()).toMatchObject({ state: 'ok', queued: 0 });
    await one.operate({ status: 'open' });
    expect((await two.acquire()).state).toBe('held');
  });

  it.each(['paused', 'rejecting'] as const)(
    'notifies waiters that a limit is %s',
    async (status) => {
      const key = 'a key';
      const [one, two] = await world.pair({ key });
      await one.acquire();
      const waiting = await two.acquire(longWait);
      await one.operate({ status });
      // A store may ask its processes to check instead of notifying them.
      const { checks } = two.process;
      await until(() => wasTold(two) || two.process.checks > checks);
      expect(await two.operate({})).toMatchObject({ state: 'ok', queued: 1, operated: { status } });
      await waiting.release();
    },
  );

  if (world.can.recall) {
    it('notifies processes that may keep idle leases', async () => {
      const [one, two] = await world.pair({ limit: 2 });
      await two.acquire({ reserves: true });
      await one.operate({ status: 'paused' });
      const { checks } = two.process;
      await until(() => wasTold(two) || two.process.checks > checks);
    });
  }

  it('shadow mode grants every lease, and reports the weight held at each grant', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    expect((await one.operate({ mode: 'shadow' })).operated).toMatchObject(shadow);
    const probes = [1, 3, 2].map((weight) => two.probe({ weight }));
    const replies = await two.process.ask(probes.map((probe) => probe.op('acquire')));
    for (const [at, probe] of probes.entries()) probe.hear(replies[at] as (typeof replies)[0]);
    expect(replies).toMatchObject([
      { state: 'held', inflight: 1, operated: shadow },
      { state: 'held', inflight: 4, operated: shadow },
      { state: 'held', inflight: 6, operated: shadow },
    ]);
    expect(new Set(replies.map(({ fencing }) => fencing)).size).toBe(3);
    for (const probe of probes) expect((await probe.do('renew')).state).toBe('held');
    expect(await one.stats()).toMatchObject({ inflight: 6, holders: 3, queued: 0 });
  });

  it('in shadow mode, the weight held in a repeated acquire includes waiters granted in the same batch', async () => {
    const one = await world.view();
    await one.operate({ mode: 'shadow' });
    const held = await one.acquire(longWait);
    const waiting = one.probe(longWait);
    const replies = await one.process.ask([waiting.op('stay'), held.op('acquire')]);
    expect(replies).toMatchObject([{ state: 'held' }, { state: 'held', inflight: 2, queued: 0 }]);
  });

  it('the start of shadow mode grants all waiters; its end revokes no lease', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const waiting = [await two.acquire(longWait), await one.acquire(longWait)];
    await one.operate({ mode: 'shadow' });
    for (const probe of waiting) await probe.granted();
    expect(await two.operate({ mode: 'enforce' })).toMatchObject({ inflight: 3, queued: 0 });
    const next = await two.acquire(longWait);
    expect(next.state).toBe('queued');
    for (const probe of [held, ...waiting]) {
      expect(next.grants).toEqual([]);
      await probe.release();
    }
    await next.granted();
  });

  it('a paused limit grants nothing in shadow mode either', async () => {
    const one = await world.view();
    await one.operate({ status: 'paused', mode: 'shadow' });
    const waiting = await one.acquire(longWait);
    expect(waiting.reply).toMatchObject({ state: 'queued', operated: { mode: 'shadow' } });
    await one.operate({ status: 'open' });
    await waiting.granted();
  });

  it('the latest change applies, and the next answer to each process contains it', async () => {
    const [one, two] = await world.pair();
    const first = (await one.operate({ status: 'paused' })).operated;
    expect((await two.acquire()).reply.operated).toEqual(first);
    const second = (await two.operate({ status: 'open' })).operated;
    expect(second?.version).not.toBe(first?.version);
    // The first process still knows its older change, but does not restore it.
    expect((await one.acquire()).reply).toMatchObject({ state: 'held', operated: second });
  });

  it('if two states have the same version, shadow mode wins, and then the stricter status', async () => {
    const one = await world.view();
    const version = (await one.operate({ status: 'paused' })).operated?.version as string;
    const observed = { status: 'paused', mode: 'shadow' } as const;
    const states = [
      [{ status: 'open', mode: 'enforce' }, paused],
      [rejecting, rejecting],
      [paused, rejecting],
      [shadow, shadow],
      [observed, observed],
      [rejecting, observed],
    ] as const;
    for (const [known, applies] of states) {
      const other = await world.another(one);
      expect((await other.knowOperated({ ...known, version })).operated).toEqual({
        ...applies,
        version,
      });
    }
  });

  it('changes only the named parts of the state', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    await one.acquire();
    await one.operate({ mode: 'shadow' });
    // The second process knows no change and no other limit.
    const { limit, operated } = await two.operate({ status: 'paused' });
    expect({ limit, operated }).toMatchObject({
      limit: 3,
      operated: { ...shadow, ...{ status: 'paused' } },
    });
    expect(await one.setLimit(5)).toMatchObject({ limit: 5, operated });
    expect(await two.operate({ mode: 'enforce' })).toMatchObject({ limit: 5, operated: paused });
  });

  if (world.driver.wipe === undefined) return;
  it('a change applies even if the store has lost the state that it reverts', async () => {
    const [one, two] = await world.pair();
    const three = await world.another(one);
    const older = (await one.operate({ status: 'open' })).operated;
    expect((await two.operate({ status: 'paused' })).operated).not.toEqual(older);
    await world.wipe();
    // Restores an older state than the second process knows.
    await one.operate({});
    await three.operate({ status: 'open' });
    expect((await two.acquire()).reply).toMatchObject({
      ...{ state: 'held', operated: { status: 'open' } },
    });
  });

  it('restores the latest change from any process that knows it', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    await two.acquire();
    await one.operate({ status: 'paused' });
    await world.wipe();
    // A process that does not know of a change does not undo it, even if it is the first to return.
    expect((await two.acquire()).state).toBe('held');
    const restored = await one.acquire();
    expect(restored.reply).toMatchObject({ state: 'full', operated: paused });
    expect((await two.acquire()).reply).toMatchObject({ state: 'full', operated: paused });
  });
}
