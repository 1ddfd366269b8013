import type { Limiter } from '@headgate/core';
import { describe, expect, test, vi } from 'vitest';
import type { StoreListener } from '../src/index.ts';
import { lease, outcome, scene, settled, World } from './world.ts';

/** Runs this number of callers, each of which acquires again as soon as it has released; returns how to stop them. */
function loop(limiter: Limiter, callers: number, served: () => void): () => void {
  let ended = false;
  for (let i = 0; i < callers; i++) {
    void (async () => {
      while (!ended) {
        await limiter.run(async () => {
          served();
          await settled();
        });
      }
    })();
  }
  return () => {
    ended = true;
  };
}

describe('handoff', () => {
  test('serves many callers with few calls to the store', async () => {
    const { world, store, limiter } = scene({ limit: 2, handoff: 10 });
    let served = 0;
    const end = loop(limiter, 10, () => served++);
    for (let i = 0; i < 200; i++) await settled();
    end();
    for (let i = 0; i < 30; i++) await settled();
    expect(served).toBeGreaterThan(200);
    expect(store.calls.flat().length / served).toBeLessThan(0.3);
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('returns a lease that the store may soon grant to others', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ handoff: 1 }), world.limiter()];
    const held = await b.acquire();
    const first = outcome(a.acquire());
    await settled();
    const elsewhere = outcome(b.acquire());
    await settled();
    const next = outcome(a.acquire());
    await settled();
    // Granted just before 0.9 of the lease has passed, without a renewal, and released soon after.
    world.clock.busy(0.89 * lease);
    held.release();
    await settled();
    world.clock.busy(0.02 * lease);
    first.permit?.release();
    await settled();
    expect([first, elsewhere, next].map(({ permit }) => permit !== undefined)).toEqual([
      ...[true, true, false],
    ]);
    elsewhere.permit?.release();
    await settled();
    next.permit?.release();
  });

  test('passes the permit to another process after the maximum number of uses', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ handoff: 3 }), world.limiter({ handoff: 3 })];
    const order: string[] = [];
    const ends = [loop(a, 6, () => order.push('a'))];
    await settled();
    ends.push(loop(b, 6, () => order.push('b')));
    for (let i = 0; i < 100; i++) await settled();
    for (const end of ends) end();
    for (let i = 0; i < 30; i++) await settled();
    // The first process queued a lease before the other arrived.
    const [, ...runs] = order.join('').match(/a+|b+/g) ?? [];
    expect(Math.max(...runs.map(({ length }) => length))).toBe(4);
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('ends after 100 ms, however short the work is', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ handoff: 100 }), world.limiter({ handoff: 100 })];
    const mine = Array.from({ length: 20 }, () => outcome(a.acquire()));
    await settled();
    const other = outcome(b.acquire());
    await settled();
    for (let i = 0; i < 20 && other.permit === undefined; i++) {
      await world.advance(20);
      mine[i]?.permit?.release();
      await settled();
    }
    expect(mine.filter(({ permit }) => permit !== undefined).length).toBeLessThanOrEqual(12);
    expect(other.permit).toBeDefined();
    other.permit?.release();
    for (let i = 0; i < 40; i++) {
      for (const { permit } of mine) permit?.release();
      await settled();
    }
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('gives each permit its own token, in increasing order', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ handoff: 4 }), world.limiter({ handoff: 4 })];
    const tokens: bigint[] = [];
    const callers = Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? a : b).run(async ({ fencing = 0n }) => {
        tokens.push(fencing);
        await settled();
      }),
    );
    await Promise.all(callers);
    expect(tokens).toEqual([...tokens].sort((one, other) => Number(one - other)));
    expect(new Set(tokens).size).toBe(20);
  });

  test('renews the lease, whichever permit uses it', async () => {
    const world = new World();
    const limiter = world.limiter({ handoff: 5 });
    const first = await limiter.acquire();
    const second = outcome(limiter.acquire());
    await settled();
    first.release();
    await settled();
    expect(second.permit?.signal.aborted).toBe(false);
    await world.advance(3 * lease);
    expect(second.permit?.signal.aborted).toBe(false);
    second.permit?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0 });
  });

  test('skips waiters that have left, have expired or have another weight', async () => {
    const world = new World();
    const limiter = world.limiter({ limit: 2, handoff: 5 });
    const held = await limiter.acquire({ weight: 2 });
    const away = new AbortController();
    const gone = outcome(limiter.acquire({ weight: 2, signal: away.signal }));
    const late = outcome(limiter.acquire({ weight: 2, queueTimeout: 100 }));
    const light = outcome(limiter.acquire({ weight: 1 }));
    const last = outcome(limiter.acquire({ weight: 2 }));
    await settled();
    away.abort('left');
    world.clock.busy(200);
    held.release();
    await world.advance(1);
    expect(gone.error).toBe('left');
    expect(late.error).toMatchObject({ rejection: { reason: 'timeout' } });
    expect(light.permit).toBeDefined();
    expect(last.permit).toBeUndefined();
    light.permit?.release();
    await settled();
    expect(last.permit).toBeDefined();
    last.permit?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('counts waiters that are unknown to the store towards queueLimit', async () => {
    const { store, limiter } = scene({ handoff: 5, queueLimit: 2 });
    const held = await limiter.acquire();
    const waiting = [outcome(limiter.acquire()), outcome(limiter.acquire())];
    await settled();
    await expect(limiter.acquire()).rejects.toMatchObject({ rejection: { reason: 'full' } });
    expect(store.calls.flat()).toEqual(['acquire', 'acquire']);
    held.release();
    for (const one of waiting) {
      await settled();
      one.permit?.release();
    }
    expect(await limiter.close()).toBe(0);
  });

  test('sends no call when a waiter takes over a queued lease, until its renewal', async () => {
    const { world, store, limiter } = scene({ handoff: 5 });
    const held = await limiter.acquire();
    const first = outcome(limiter.acquire({ queueTimeout: lease }));
    const second = outcome(limiter.acquire());
    await settled();
    held.release();
    await settled();
    expect([first.permit !== undefined, second.permit !== undefined]).toEqual([true, false]);
    store.calls.length = 0;
    await world.advance(lease / 3 - lease / 8);
    expect(store.calls).toEqual([]);
    await world.advance(2 * lease);
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 1 });
    first.permit?.release();
    await settled();
    second.permit?.release();
  });

  test('close() rejects all waiters of the process, including those unknown to the store', async () => {
    const world = new World();
    const limiter = world.limiter({ handoff: 5 });
    const held = await limiter.acquire();
    const waiting = Array.from({ length: 8 }, () => outcome(limiter.acquire()));
    await settled();
    expect(limiter.queued).toBe(8);
    const closed = limiter.close();
    held.release();
    expect(await closed).toBe(0);
    await settled();
    for (const { error } of waiting)
      expect(error).toMatchObject({ rejection: { reason: 'closed' } });
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });
});

describe('reserve', () => {
  test('admits most requests without a call to the store', async () => {
    const { world, store, limiter } = scene({ limit: 2, reserve: 1 });
    const tokens = new Set<bigint | undefined>();
    for (let i = 0; i < 250; i++) {
      const permit = await limiter.acquire();
      tokens.add(permit.fencing);
      permit.release();
    }
    expect(tokens.size).toBe(250);
    expect(store.calls.flat().filter((verb) => verb === 'acquire')).toHaveLength(3);
    await world.advance(150);
    expect(await world.stats()).toMatchObject({ inflight: 0 });
  });

  test('admits synchronously', async () => {
    const world = new World();
    const limiter = world.limiter({ limit: 2, reserve: 1 });
    (await limiter.acquire()).release();
    const next = outcome(limiter.acquire());
    await Promise.resolve();
    await Promise.resolve();
    expect(next.permit?.waited).toBe(0);
    next.permit?.release();
  });

  test('never takes the total above the limit', async () => {
    const world = new World();
    const [a, b] = [
      world.limiter({ limit: 2, reserve: 2, queueLimit: 0 }),
      world.limiter({ limit: 2, reserve: 2, queueLimit: 0 }),
    ];
    const [one, two] = await Promise.all([a.acquire(), a.acquire()]);
    one?.release();
    two?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 2 });
    await expect(b.acquire()).rejects.toMatchObject({ rejection: { reason: 'full' } });
    await world.advance(150);
    (await b.acquire()).release();
  });

  test('is recalled when other processes have waiters, and stays disabled until they have none', async () => {
    const world = new World();
    const [a, b] = [world.limiter({ limit: 2, reserve: 2 }), world.limiter({ limit: 2 })];
    const [one, two] = await Promise.all([a.acquire(), a.acquire()]);
    one?.release();
    const first = outcome(b.acquire());
    const second = outcome(b.acquire());
    for (let i = 0; i < 5; i++) await settled();
    expect(first.permit).toBeDefined();
    expect(second.permit).toBeUndefined();
    two?.release();
    for (let i = 0; i < 5; i++) await settled();
    expect(second.permit).toBeDefined();
    first.permit?.release();
    second.permit?.release();
    await settled();
  });

  test('releases each lease that has been idle for 100 ms', async () => {
    const world = new World();
    const limiter = world.limiter({ limit: 3, reserve: 2 });
    const [one, two] = await Promise.all([limiter.acquire(), limiter.acquire()]);
    one?.release();
    await world.advance(50);
    two?.release();
    const holders: number[] = [];
    for (let i = 0; i < 3; i++) {
      holders.push((await world.stats()).holders);
      await world.advance(50);
    }
    expect(holders).toEqual([2, 1, 0]);
  });

  test('keeps no permit of a limit of 1, even if the limit was lowered to 1', async () => {
    const { world, store, limiter } = scene({ limit: 1, reserve: 2 });
    const lowered = world.limiter({ store, name: 'lowered', limit: 3 });
    lowered.setLimit(1);
    await settled();
    for (const lock of [limiter, lowered]) {
      (await lock.acquire()).release();
      await settled();
      expect(await world.stats(lock.name)).toMatchObject({ holders: 0 });
    }
  });

  test('keeps no permit of a key if its requests set the limit to 1', async () => {
    const { world, limiter } = scene({ limit: 5, reserve: 2, perKey: true });
    for (const [key, limit] of [
      ['a', 1],
      ['b', 2],
    ] as const) {
      (await limiter.acquire({ key, limit })).release();
      await settled();
      expect(await world.stats('renders', key)).toMatchObject({ holders: limit - 1 });
    }
  });

  test('keeps permits once a limit of 1 is raised', async () => {
    const { world, limiter } = scene({ limit: 1, reserve: 1 });
    limiter.setLimit(2);
    await settled();
    (await limiter.acquire()).release();
    await settled();
    expect(await world.stats()).toMatchObject({ holders: 1 });
  });

  test('has no effect on a limit of 1, whose waiters recall no permits', async () => {
    const { world, store, limiter } = scene({ limit: 1, reserve: 2 });
    const held = await limiter.acquire();
    const recall = vi.spyOn(store.listener as StoreListener, 'recall');
    const waiting = outcome(world.limiter().acquire());
    await settled();
    held.release();
    await settled();
    waiting.permit?.release();
    expect(recall).not.toHaveBeenCalled();
  });

  test('applies to each limit of the store', async () => {
    const { world, store, limiter } = scene({ limit: 3, reserve: 1 });
    const other = world.limiter({ store, name: 'other', limit: 3 });
    for (const one of [limiter, other]) (await one.acquire()).release();
    await settled();
    expect(await world.stats()).toMatchObject({ holders: 1 });
    expect(await world.stats('other')).toMatchObject({ holders: 1 });
  });

  test('is released when the limiter closes', async () => {
    const world = new World();
    const limiter = world.limiter({ limit: 3, reserve: 2 });
    (await limiter.acquire()).release();
    expect(await limiter.close()).toBe(0);
    expect(await world.stats()).toMatchObject({ inflight: 0 });
  });

  test('does not keep a lease that the store may soon grant to others', async () => {
    const { world, limiter } = scene({ limit: 2, reserve: 1 });
    const held = await limiter.acquire();
    world.clock.busy(0.95 * lease);
    held.release();
    await settled();
    expect(await world.stats()).toMatchObject({ holders: 0 });
  });

  test('drops leases that the store may have granted to others', async () => {
    const { world, store, limiter } = scene({ limit: 2, reserve: 1 });
    (await limiter.acquire()).release();
    world.clock.busy(lease);
    const next = outcome(limiter.acquire());
    await settled();
    expect(store.calls.flat().filter((verb) => verb === 'acquire')).toHaveLength(2);
    expect(next.permit).toBeDefined();
    next.permit?.release();
  });
});
