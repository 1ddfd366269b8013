import { expect, it } from 'vitest';
import { until } from '../../kit/until.ts';
import { type LimitView, longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

/** Milliseconds that are longer than any test. */
const long = 100_000;
const hour = 3_600_000;

function isTold({ process, name, key }: LimitView, checks: number): boolean {
  const isNamed = process.operations.some((ref) => ref.name === name && ref.key === key);
  // A store may ask its processes to check instead of notifying them.
  return isNamed || process.checks > checks;
}

export function pauses(world: StoreWorld): void {
  it('grants nothing until the pause ends, and then its waiters', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    const pause = world.lease;
    const held = await one.acquire();
    expect((await one.pauseFor(pause)).state).toBe('ok');
    expect((await two.acquire()).state).toBe('full');
    const waiting = await two.acquire(longWait);
    const { state, pausedFor = 0, checkIn } = waiting.reply;
    expect([state, pausedFor > 0, pausedFor <= pause]).toEqual(['queued', true, true]);
    expect(checkIn).toBeLessThanOrEqual(pausedFor + 1);
    expect((await held.do('renew')).state).toBe('held');
    expect(await held.release()).toMatchObject({ state: 'ok', inflight: 0, queued: 1 });
    await world.elapse(pause + 10);
    const reply = await waiting.do('stay');
    expect([reply.state, reply.pausedFor]).toEqual(['held', undefined]);
    expect((await one.acquire()).state).toBe('held');
  });

  it('is seen by each process, and extended but never shortened', async () => {
    const [one, two] = await world.pair();
    await one.pauseFor(long);
    await two.pauseFor(10);
    expect((await two.operate({})).pausedFor).toBeGreaterThan(long / 2);
    await two.pauseFor(4 * long);
    expect((await one.acquire()).reply.pausedFor).toBeGreaterThan(2 * long);
  });

  it('is ended by another process, which grants the waiters', async () => {
    const [one, two] = await world.pair();
    await one.pauseFor(long);
    const waiting = await one.acquire(longWait);
    const reply = await two.pauseFor(0);
    expect([reply.inflight, reply.pausedFor]).toEqual([1, undefined]);
    await waiting.granted();
    expect((await two.pauseFor(0)).state).toBe('ok');
  });

  it('is ended by an operation of an operator, also if only another process knows of it', async () => {
    const [one, two] = await world.pair();
    await one.pauseFor(long);
    const open = await two.operate({ status: 'open' });
    expect([open.pausedFor, open.operated?.status]).toEqual([undefined, 'open']);
    await one.pauseFor(long);
    expect((await two.operate({})).pausedFor).toBeGreaterThan(0);
    const version = `${Number(open.operated?.version) + 1}`;
    const known = { status: 'open', mode: 'enforce', version } as const;
    expect((await one.knowOperated(known)).pausedFor).toBeUndefined();
    expect((await two.acquire()).state).toBe('held');
  });

  it('survives the process that has paused, and the limit’s idle time', async () => {
    const [one, two] = await world.pair({ expires: true });
    await one.pauseFor(long);
    await one.process.store.close();
    await world.elapse(3.5 * world.lease);
    const { state, pausedFor } = (await two.acquire()).reply;
    expect([state, (pausedFor ?? 0) > long / 2]).toEqual(['full', true]);
  });

  it('lasts an hour at most', async () => {
    const view = await world.view();
    for (const pause of [1e9, 1e15, Number.POSITIVE_INFINITY]) {
      const { pausedFor = 0 } = await view.pauseFor(pause);
      expect([pausedFor > hour / 2, pausedFor <= hour]).toEqual([true, true]);
    }
  });

  it('holds for one key, and for no other and not for the name alone', async () => {
    const one = await world.view({ key: 'a key' });
    await one.pauseFor(long);
    expect((await one.acquire()).state).toBe('full');
    for (const key of ['another key', undefined]) {
      const other = world.beside(one, one.name, { key });
      const { state, pausedFor } = (await other.acquire()).reply;
      expect([state, pausedFor]).toEqual(['held', undefined]);
    }
  });

  it('notifies waiters that it has begun, and that it was ended', async () => {
    const [one, two] = await world.pair({ key: 'a key' });
    await one.acquire();
    const waiting = await two.acquire(longWait);
    for (const pause of [long, 0]) {
      two.process.operations.length = 0;
      const { checks } = two.process;
      await one.pauseFor(pause);
      await until(() => isTold(two, checks));
    }
    await waiting.release();
  });

  if (world.can.recall) {
    it('notifies processes that may keep idle leases', async () => {
      const [one, two] = await world.pair({ limit: 2 });
      await two.acquire({ reserves: true });
      const { checks } = two.process;
      await one.pauseFor(long);
      await until(() => isTold(two, checks));
    });
  }

  it('pauses nothing in shadow mode', async () => {
    const [one, two] = await world.pair();
    await one.operate({ mode: 'shadow' });
    await one.pauseFor(long);
    expect((await two.acquire()).state).toBe('held');
    expect((await two.acquire()).state).toBe('held');
  });

  it('reports the leases that have expired meanwhile', async () => {
    const [one, two] = await world.pair({ expires: true });
    await one.acquire();
    await two.pauseFor(long);
    await world.outlive();
    expect(await two.operate({})).toMatchObject({ inflight: 0, reclaimed: 1 });
    await two.pauseFor(0);
    expect((await two.acquire()).reply).toMatchObject({ state: 'held', reclaimed: 0 });
  });

  if (world.driver.wipe !== undefined) {
    it('ends when the store loses its state', async () => {
      const view = await world.view();
      await view.pauseFor(long);
      await world.wipe();
      expect((await view.acquire()).state).toBe('held');
    });
  }
}
