import { describe, expect, test } from 'vitest';
import { lease, outcome, scene, settled, World } from './world.ts';

/** A permit requested when the store guaranteed leases for a shorter time than now. */
async function acquireWithShortGuarantee() {
  const world = new World();
  const store = world.connect();
  const [usual, now] = [store.certainUntil.bind(store), world.clock.now()];
  store.certainUntil = (sent) => (sent > now ? usual(sent) : sent + lease / 10);
  return { world, store, held: await world.limiter({ store }).acquire() };
}

describe('a lease', () => {
  test('is renewed until the permit is released', async () => {
    const world = new World();
    const [a, b] = [world.limiter(), world.limiter()];
    const held = await a.acquire();
    const waiting = outcome(b.acquire());
    await world.advance(5 * lease);
    expect(held.signal.aborted).toBe(false);
    expect(waiting.permit).toBeUndefined();
    held.release();
    await settled();
    expect(waiting.permit).toBeDefined();
    waiting.permit?.release();
  });

  test('is renewed even if the weight of its permit changes constantly', async () => {
    const world = new World();
    const limiter = world.limiter({ limit: 5 });
    const permit = await limiter.acquire();
    for (let i = 0; i < 18; i++) {
      await world.advance(lease / 6);
      permit.adjust(1 + (i % 3));
    }
    await settled();
    expect(permit.signal.aborted).toBe(false);
    expect(await world.stats()).toMatchObject({ inflight: 3, holders: 1 });
    permit.release();
  });

  test('is renewed together with the others of its process, within a third of its duration', async () => {
    const world = new World();
    const store = world.connect();
    const limiters = ['a', 'b', 'c'].map((name) => world.limiter({ name, limit: 2, store }));
    const permits = await Promise.all(limiters.flatMap((one) => [one.acquire(), one.acquire()]));
    store.calls.length = 0;
    await world.advance(lease / 3 - 50);
    expect(store.calls).toEqual([]);
    await world.advance(100);
    expect(store.calls).toEqual([Array(6).fill('renew')]);
    await world.advance(lease - 50);
    expect(store.calls).toHaveLength(4);
    for (const permit of permits) permit.release();
  });

  test('counts as lost before its store ends it early', async () => {
    const world = new World();
    const store = world.connect();
    const held = await world.limiter({ store }).acquire();
    await world.advance(lease / 6);
    const until = world.clock.now() + lease / 10;
    store.certainUntil = (sent) => Math.max(sent, until);
    store.trouble = 'silent';
    store.listener?.state(false);
    await world.advance(lease / 10 - 1);
    expect(held.signal.aborted).toBe(false);
    await world.advance(1);
    expect(held.signal.aborted).toBe(true);
  });

  test('is renewed early enough if its guarantee was shortened after the request', async () => {
    const { world, store, held } = await acquireWithShortGuarantee();
    expect(store.calls).toEqual([['acquire']]);
    await world.advance(lease / 10 - 1);
    expect(store.calls).toEqual([['acquire'], ['renew']]);
    await world.advance(2 * lease);
    expect(held.signal.aborted).toBe(false);
    held.release();
  });

  test('is renewed again early enough if the answer to a renewal was lost', async () => {
    const { world, store, held } = await acquireWithShortGuarantee();
    store.trouble = 'silent';
    await world.advance(lease / 25);
    expect(store.calls).toEqual([['acquire'], ['renew']]);
    store.trouble = undefined;
    await world.advance(lease);
    expect(held.signal.aborted).toBe(false);
    held.release();
  });

  test('is not renewed more often if its store guarantees no duration', async () => {
    const world = new World();
    const store = world.connect();
    const [a, b] = [world.limiter({ store }), world.limiter({ store, name: 'other' })];
    store.certainUntil = (sent) => sent;
    const held = await b.acquire();
    const waiting = outcome(a.acquire());
    await settled();
    store.calls.length = 0;
    await world.advance(lease / 4);
    expect(store.calls.length).toBeLessThan(3);
    for (const permit of [held, waiting.permit]) permit?.release();
  });

  test('has no timer after all permits are released', async () => {
    const world = new World();
    const limiter = world.limiter();
    (await limiter.acquire()).release();
    await settled();
    await world.advance(lease);
    expect(world.clock.armed).toBe(0);
  });

  test('is reclaimed when it has expired, if its process has died', async () => {
    const world = new World();
    const dying = world.connect();
    const [a, b] = [world.limiter({ store: dying }), world.limiter()];
    await a.acquire();
    dying.trouble = 'silent';
    const waiting = outcome(b.acquire());
    await world.advance(lease - 50);
    expect(waiting.permit).toBeUndefined();
    await world.advance(150);
    expect(waiting.permit).toBeDefined();
    expect(b.stats().distributed).toMatchObject({ reclaimed: 1 });
    waiting.permit?.release();
  });

  test('does not block other waiters while it is queued for a dead process', async () => {
    const world = new World();
    const dying = world.connect();
    const [a, b, c] = [world.limiter(), world.limiter({ store: dying }), world.limiter()];
    const held = await a.acquire();
    for (let i = 0; i < 5; i++) void b.acquire().catch(() => {});
    await settled();
    const survivor = outcome(c.acquire());
    await settled();
    dying.trouble = 'silent';
    dying.mute = true;
    await world.advance(lease + 50);
    held.release();
    await settled();
    expect(survivor.permit).toBeDefined();
    survivor.permit?.release();
  });

  test('aborts its signal before it may have expired', async () => {
    const world = new World();
    const lost: unknown[] = [];
    const store = world.connect();
    const observer = { lost: (event: unknown) => lost.push(event) };
    const limiter = world.limiter({ store, observer });
    const permit = await limiter.acquire();
    const { signal } = permit;
    store.trouble = 'silent';
    await world.advance(lease * 0.8);
    expect(signal.aborted).toBe(false);
    await world.advance(lease * 0.15);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: 'StoreError', code: 'ERR_HEADGATE_LEASE_LOST' });
    expect(lost).toEqual([{ name: 'renders', weight: 1 }]);
    expect(limiter.stats()).toMatchObject({ inflight: 1, distributed: { lost: 1 } });
    permit.release();
    expect(limiter.inflight).toBe(0);
  });

  test('is not released again after it was lost', async () => {
    const world = new World();
    const store = world.connect();
    const [a, b] = [world.limiter({ store }), world.limiter()];
    const stale = await a.acquire();
    store.trouble = 'silent';
    await world.advance(lease + 100);
    const fresh = await b.acquire();
    expect(fresh.fencing).toBeGreaterThan(stale.fencing ?? 0n);
    store.trouble = undefined;
    stale.release();
    await world.advance(lease);
    expect(await world.stats()).toMatchObject({ inflight: 1 });
    expect(fresh.signal.aborted).toBe(false);
    fresh.release();
  });

  test('survives lost answers', async () => {
    const { world, store, limiter } = scene();
    const permit = await limiter.acquire();
    for (let i = 0; i < 6; i++) {
      store.trouble = i % 2 === 0 ? 'deaf' : undefined;
      await world.advance(lease / 3);
    }
    expect(permit.signal.aborted).toBe(false);
    permit.release();
  });

  test('is held again after the store has lost its state', async () => {
    const world = new World();
    const [a, b] = [world.limiter(), world.limiter()];
    const held = await a.acquire();
    const waiting = outcome(b.acquire());
    await settled();
    world.memory.wipe();
    await world.advance(lease / 2);
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 1 });
    expect(held.signal.aborted).toBe(false);
    held.release();
    await settled();
    expect(waiting.permit).toBeDefined();
    waiting.permit?.release();
  });

  test('keeps the position of a waiter after the store has lost its state', async () => {
    const world = new World();
    const limiters = [world.limiter(), world.limiter(), world.limiter()];
    const held = await world.limiter().acquire();
    const order: number[] = [];
    for (const [i, limiter] of limiters.entries()) {
      void limiter.run(async () => {
        order.push(i);
        await settled();
      });
      await world.advance(100);
    }
    world.memory.wipe();
    await world.advance(lease / 2);
    held.release();
    for (let i = 0; i < 20; i++) await settled();
    expect(order).toEqual([0, 1, 2]);
  });
});

describe('a message to a waiter', () => {
  test('only delays the grant if it is lost', async () => {
    const world = new World();
    const store = world.connect();
    const [a, b] = [world.limiter(), world.limiter({ store })];
    const held = await a.acquire();
    const waiting = outcome(b.acquire());
    await settled();
    store.mute = true;
    held.release();
    await settled();
    expect(waiting.permit).toBeUndefined();
    await world.advance(lease / 3 + 50);
    expect(waiting.permit?.fencing).toBeGreaterThan(held.fencing ?? 0n);
    waiting.permit?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('grants the permit even if it arrives before the answer', async () => {
    const world = new World();
    const store = world.connect();
    const [a, b] = [world.limiter(), world.limiter({ store })];
    const held = await a.acquire();
    const waiting = outcome(b.acquire());
    await settled();
    store.trouble = 'deaf';
    const second = outcome(b.acquire());
    await settled();
    store.trouble = undefined;
    held.release();
    await settled();
    waiting.permit?.release();
    await settled();
    expect(second.permit).toBeDefined();
    await world.advance(500);
    second.permit?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  /** A process is paused while its waiter is granted and the lease expires; then another process acquires the limit. */
  async function outpaced() {
    const world = new World();
    const store = world.connect();
    const [a, b] = [world.limiter(), world.limiter({ store })];
    const held = await a.acquire();
    const waiting = outcome(b.acquire());
    await settled();
    store.mute = true;
    held.release();
    await settled();
    world.clock.busy(lease + 100);
    const other = await world.limiter().acquire();
    store.mute = false;
    /** The process reads the message of the grant that has expired, and is granted the limit later. */
    const readOldGrant = async () => {
      store.listener?.grant({ id: `${store.owner}.0`, fencing: 1n });
      await settled();
      expect(waiting.permit).toBeUndefined();
      other.release();
      await world.advance(lease);
      expect(waiting.permit?.fencing).toBeGreaterThan(other.fencing ?? 0n);
      waiting.permit?.release();
    };
    return { world, readOldGrant };
  }

  test('grants the permit only after the store has confirmed it, if the message is old', async () => {
    const { readOldGrant } = await outpaced();
    await readOldGrant();
  });

  test('grants the permit only after the store has confirmed it, if the waiter has been queued again', async () => {
    const { world, readOldGrant } = await outpaced();
    await world.advance(50);
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 1 });
    await readOldGrant();
  });

  test('grants the next waiter if the waiter was withdrawn', async () => {
    const world = new World();
    const [a, b] = [world.limiter(), world.limiter()];
    const held = await a.acquire();
    const away = new AbortController();
    const gone = outcome(b.acquire({ signal: away.signal }));
    await settled();
    const next = outcome(a.acquire());
    await settled();
    held.release();
    away.abort(new Error('left'));
    await settled();
    expect(gone.error).toMatchObject({ message: 'left' });
    expect(next.permit).toBeDefined();
    next.permit?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('after a new subscription, all waiters call the store', async () => {
    const world = new World();
    const store = world.connect();
    const [a, b] = [world.limiter(), world.limiter({ store })];
    const held = await a.acquire();
    const waiting = outcome(b.acquire());
    await settled();
    store.mute = true;
    held.release();
    await settled();
    store.listener?.check();
    await settled();
    expect(waiting.permit).toBeDefined();
    waiting.permit?.release();
  });

  test('after a new subscription, a waiter whose call was pending calls the store again', async () => {
    const world = new World();
    const store = world.connect();
    const [a, b] = [world.limiter(), world.limiter({ store })];
    const held = await a.acquire();
    const { send } = store;
    let answer = () => {};
    store.send = async (ops) => {
      const answers = await send.call(store, ops);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return answers;
    };
    store.mute = true;
    const waiting = outcome(b.acquire());
    await settled();
    held.release();
    await settled();
    store.send = send;
    store.listener?.check();
    answer();
    await settled();
    expect(waiting.permit).toBeDefined();
    waiting.permit?.release();
  });

  test('a process with many waiters checks the store only for the first one', async () => {
    const world = new World();
    const store = world.connect();
    const [a, b] = [world.limiter(), world.limiter({ store })];
    const held = await a.acquire();
    const waiting = Array.from({ length: 20 }, () => outcome(b.acquire()));
    await settled();
    store.calls.length = 0;
    await world.advance(lease);
    expect(store.calls.length).toBeLessThanOrEqual(6);
    held.release();
    for (let i = 0; i < 60; i++) {
      await settled();
      for (const { permit } of waiting) permit?.release();
    }
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });
});
