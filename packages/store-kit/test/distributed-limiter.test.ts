import { type Permit, RejectedError } from '@headgate/core';
import { collectWarnings } from '@headgate/test-kit/warnings';
import { describe, expect, test } from 'vitest';
import type { Op } from '../src/index.ts';
import { outcome, scene, settled, TestStore, World } from './world.ts';

describe('a distributed limit', () => {
  test('is one limit over all processes', async () => {
    const world = new World();
    const limiters = Array.from({ length: 5 }, () => world.limiter({ limit: 4 }));
    const all = limiters.flatMap((limiter) => [limiter.acquire(), limiter.acquire()]).map(outcome);
    await settled();
    expect(all.filter(({ permit }) => permit !== undefined)).toHaveLength(4);
    for (let round = 0; round < 10; round++) {
      for (const { permit } of all) permit?.release();
      await settled();
    }
    expect(all.every(({ permit }) => permit !== undefined)).toBe(true);
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('grants in order of arrival over all processes', async () => {
    const world = new World();
    const [a, b] = [world.limiter(), world.limiter()];
    const order: number[] = [];
    for (let i = 0; i < 6; i++) {
      void (i % 2 === 0 ? a : b).run(async () => {
        order.push(i);
        await settled();
      });
      await settled();
    }
    for (let i = 0; i < 30; i++) await settled();
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('measures the round trips to its store, but not those of failed calls', async () => {
    class Distant extends TestStore {
      delay = 20;
      override async send(ops: readonly Op[]) {
        await new Promise<void>((resolve) => this.clock.setTimeout(resolve, this.delay));
        return super.send(ops);
      }
    }
    const world = new World();
    const store = world.connect({}, Distant);
    const limiter = world.limiter({ store });
    const roundTrip = () => limiter.stats().distributed?.roundTrip;
    const acquire = async () => {
      const permit = limiter.acquire();
      await world.advance(100);
      (await permit).release();
      await world.advance(100);
    };
    expect(roundTrip()).toBeUndefined();
    await acquire();
    expect(roundTrip()).toBe(50);
    store.delay = 70;
    await acquire();
    expect(roundTrip()).toBeCloseTo(50 + 5 + 4.5);
    store.trouble = 'refused';
    store.delay = 20;
    const refusal = outcome(limiter.acquire());
    await world.advance(100);
    expect(refusal.error).toMatchObject({ code: 'ERR_HEADGATE_STORE_REFUSED' });
    expect(roundTrip()).toBeCloseTo(50 + 5 + 4.5);
  });

  test('issues increasing fencing tokens', async () => {
    const world = new World();
    const [a, b] = [world.limiter(), world.limiter()];
    let highest = 0n;
    for (let i = 0; i < 5; i++) {
      const permit = await (i % 2 === 0 ? a : b).acquire();
      expect(permit.fencing).toBeGreaterThan(highest);
      highest = permit.fencing ?? 0n;
      permit.release();
    }
  });

  test('calls the store once to acquire and once to release', async () => {
    const { store, limiter } = scene();
    for (let i = 0; i < 10; i++) (await limiter.acquire()).release();
    await settled();
    expect(store.calls.flat()).toEqual(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'acquire' : 'release')),
    );
  });

  test('sends the operations of one event-loop iteration together', async () => {
    const { store, limiter } = scene({ limit: 3 });
    const permits = await Promise.all([limiter.acquire(), limiter.acquire(), limiter.acquire()]);
    for (const permit of permits) permit.release();
    await settled();
    expect(store.calls).toEqual([
      ['acquire', 'acquire', 'acquire'],
      ['release', 'release', 'release'],
    ]);
  });

  test('enforces queueLimit over all processes', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ queueLimit: 1 }), world.limiter({ queueLimit: 1 })];
    const held = await a.acquire();
    const waiting = outcome(a.acquire());
    await settled();
    await expect(b.acquire()).rejects.toMatchObject({
      code: 'ERR_HEADGATE_REJECTED',
      rejection: { reason: 'full', limitName: 'renders', queued: 1 },
    });
    held.release();
    await settled();
    waiting.permit?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('rejects at once if its queueLimit is 0', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ queueLimit: 0 }), world.limiter({ queueLimit: 0 })];
    const held = await a.acquire();
    await expect(b.acquire()).rejects.toMatchObject({ rejection: { reason: 'full', waited: 0 } });
    held.release();
    await settled();
    (await b.acquire()).release();
  });

  test('rejects a waiter at its timeout, and removes it from the store’s queue', async () => {
    const world = new World();
    const [a, b] = [world.limiter(), world.limiter({ queueTimeout: 500 })];
    const held = await a.acquire();
    const late = outcome(b.acquire());
    await world.advance(499);
    expect(late.error).toBeUndefined();
    await world.advance(2);
    expect(late.error).toBeInstanceOf(RejectedError);
    expect(late.error).toMatchObject({ rejection: { reason: 'timeout', waited: 500 } });
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 0 });
    held.release();
  });

  test('an abort withdraws a waiter, and releases a lease granted meanwhile', async () => {
    const world = new World();
    const [a, b] = [world.limiter(), world.limiter()];
    const held = await a.acquire();
    const away = new AbortController();
    const waiting = outcome(b.acquire({ signal: away.signal }));
    await settled();
    away.abort('gone');
    await settled();
    expect(waiting.error).toBe('gone');
    expect(b.stats()).toMatchObject({ withdrawn: 1, queued: 0 });
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 0 });
    const again = new AbortController();
    const asking = outcome(b.acquire({ signal: again.signal }));
    again.abort('gone before the answer');
    held.release();
    await settled();
    expect(asking.error).toBe('gone before the answer');
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('does not starve a heavy request', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ limit: 3 }), world.limiter({ limit: 3 })];
    const one = await a.acquire();
    const large = outcome(b.acquire({ weight: 3 }));
    await settled();
    const small = outcome(a.acquire());
    await settled();
    expect(small.permit).toBeUndefined();
    one.release();
    await settled();
    expect(large.permit?.weight).toBe(3);
    large.permit?.release();
    await settled();
    expect(small.permit).toBeDefined();
    small.permit?.release();
  });

  test('counts each key separately, and evicts idle keys', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ perKey: true }), world.limiter({ perKey: true })];
    const ann = await a.acquire({ key: 'ann' });
    const bob = await b.acquire({ key: 'bob' });
    const second = outcome(b.acquire({ key: 'ann' }));
    await settled();
    expect(second.permit).toBeUndefined();
    expect(b.stats()).toMatchObject({ keys: 2, inflight: 1, queued: 1 });
    ann.release();
    await settled();
    expect(second.permit?.key).toBe('ann');
    second.permit?.release();
    bob.release();
    await settled();
    expect(b.stats()).toMatchObject({ keys: 0, inflight: 0, queued: 0 });
    await expect(a.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_KEY' });
  });

  test('supports a limit per key', async () => {
    const world = new World();
    const limiter = world.limiter({ perKey: true, queueLimit: 0 });
    const first = await limiter.acquire({ key: 'gold', limit: 2 });
    const second = await limiter.acquire({ key: 'gold', limit: 2 });
    await expect(limiter.acquire({ key: 'gold', limit: 2 })).rejects.toThrow('full');
    const free = await limiter.acquire({ key: 'free' });
    await expect(limiter.acquire({ key: 'free' })).rejects.toThrow('full');
    for (const permit of [first, second, free]) permit.release();
  });

  test('counts the keys 42 and "42" as the same key', async () => {
    const limiter = new World().limiter({ perKey: true, limit: 1, queueLimit: 0 });
    const permit = await limiter.acquire({ key: 42 });
    expect(permit.key).toBe('42');
    await expect(limiter.acquire({ key: '42' })).rejects.toThrow('full');
    permit.release();
    expect(await limiter.run(({ key }) => key, { key: 42 })).toBe('42');
  });

  test('a changed limit applies in all processes and revokes no permit', async () => {
    const warnings = collectWarnings();
    const world = new World();
    const [a, b] = [world.limiter({ limit: 2 }), world.limiter({ limit: 2 })];
    const [one, two] = await Promise.all([a.acquire(), b.acquire()]);
    a.setLimit(1);
    await settled();
    const third = outcome(b.acquire());
    await settled();
    expect(b.limit).toBe(1);
    (one as Permit).release();
    await settled();
    expect(third.permit).toBeUndefined();
    b.setLimit(2);
    await settled();
    expect(third.permit).toBeDefined();
    expect(await world.stats()).toMatchObject({ limit: 2, inflight: 2 });
    expect(warnings).toEqual([]);
    third.permit?.release();
    two.release();
  });

  test('a weight above a lowered limit counts as the whole limit', async () => {
    const warnings = collectWarnings();
    const world = new World();
    const [a, b] = [world.limiter({ limit: 3 }), world.limiter({ limit: 3 })];
    const held = await a.acquire();
    const large = outcome(b.acquire({ weight: 3 }));
    await settled();
    a.setLimit(2);
    held.release();
    await settled();
    expect(large.permit).toBeDefined();
    large.permit?.release();
    await settled();
    expect(warnings).toEqual([]);
  });

  test('the later of two declarations applies, and the conflict is reported once', async () => {
    const world = new World();
    const conflicts: unknown[] = [];
    const observer = { conflict: (event: unknown) => conflicts.push(event) };
    const old = world.limiter({ limit: 2, observer });
    (await old.acquire()).release();
    await world.advance(50);
    const deployed = world.limiter({ limit: 5 });
    (await deployed.acquire()).release();
    for (let i = 0; i < 3; i++) (await old.acquire()).release();
    await settled();
    expect(conflicts).toEqual([{ name: 'renders', declared: 2, limit: 5 }]);
    expect(old.limit).toBe(5);
    expect(old.stats().distributed).toMatchObject({ declared: 2 });
    expect(deployed.stats()).toMatchObject({ limit: 5, distributed: { declared: 5 } });
  });

  test('an increased weight delays later grants', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ limit: 2 }), world.limiter({ limit: 2 })];
    const permit = await a.acquire();
    permit.adjust(2);
    await settled();
    const next = outcome(b.acquire());
    await settled();
    expect(next.permit).toBeUndefined();
    expect(a.inflight).toBe(2);
    permit.adjust(1);
    await settled();
    expect(next.permit).toBeDefined();
    permit.release();
    next.permit?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0 });
  });

  test('releasing a permit twice releases its lease once', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ limit: 2 }), world.limiter({ limit: 2 })];
    const [one, two] = await Promise.all([a.acquire(), b.acquire()]);
    for (let i = 0; i < 3; i++) (one as Permit).release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 1 });
    two.release();
  });

  test('close() rejects new and queued requests, and resolves when the store has confirmed all releases', async () => {
    const world = new World();
    const [a, b] = [world.limiter(), world.limiter()];
    const held = await a.acquire();
    const waiting = outcome(a.acquire());
    await settled();
    const closing = a.close();
    await expect(a.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
    await settled();
    expect(waiting.error).toMatchObject({ rejection: { reason: 'closed' } });
    held.release();
    expect(await closing).toBe(0);
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
    (await b.acquire()).release();
  });

  test('reports its state in stats()', async () => {
    const world = new World();
    const [a, b] = [world.limiter(), world.limiter()];
    const held = await a.acquire();
    const waiting = outcome(b.acquire());
    await world.advance(200);
    expect(b.stats()).toMatchObject({
      limit: 1,
      inflight: 0,
      queued: 1,
      longestWait: 200,
      distributed: { up: true, declared: 1, inflight: 1, queued: 1, reclaimed: 0, lost: 0 },
    });
    expect(b.usage()).toEqual({ limit: 1, inflight: 1 });
    held.release();
    await settled();
    waiting.permit?.release();
  });
});
