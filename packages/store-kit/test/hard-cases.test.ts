import { expect, test } from 'vitest';
import { type Answer, type Op, StoreError, type StoreStats } from '../src/index.ts';
import { lease, outcome, SlowStore, scene, settled, TestStore, timeout, World } from './world.ts';

test('an answer that the store sent before setLimit() does not undo it or report a conflict', async () => {
  const world = new World();
  const store = world.connect({}, SlowStore);
  const conflicts: unknown[] = [];
  const limits: number[] = [];
  const observer = {
    conflict: (event: unknown) => conflicts.push(event),
    resized: ({ limit }: { limit: number }) => limits.push(limit),
  };
  const limiter = world.limiter({ store, limit: 2, observer });
  (await limiter.acquire()).release();
  await settled();
  store.held = [];
  const pending = outcome(limiter.acquire());
  await settled();
  limiter.setLimit(5);
  store.trouble = undefined;
  store.go();
  await settled();
  expect(pending.permit).toBeDefined();
  expect({ conflicts, limits, limit: limiter.limit }).toEqual({
    conflicts: [],
    limits: [5],
    limit: 5,
  });
});

test('an answer that the store sent before setLimit() does not undo it, even if the call of setLimit() was lost', async () => {
  const world = new World();
  const store = world.connect({}, SlowStore);
  const limiter = world.limiter({ store, limit: 2, observer: { conflict() {} } });
  (await limiter.acquire()).release();
  await settled();
  store.held = [];
  const pending = outcome(limiter.acquire());
  await settled();
  const held = store.held;
  store.held = undefined;
  store.trouble = 'refused';
  limiter.setLimit(5);
  await settled();
  store.trouble = undefined;
  for (const one of held) one();
  await settled();
  pending.permit?.release();
  await settled();
  (await limiter.acquire()).release();
  expect(limiter.limit).toBe(5);
  expect((await world.stats()).limit).toBe(5);
});

test('the later of two declarations applies, in whichever order the answers for two keys arrive', async () => {
  const world = new World();
  const limits: number[] = [];
  const observer = { resized: ({ limit }: { limit: number }) => limits.push(limit), conflict() {} };
  const limiter = world.limiter({ perKey: true, limit: 2, observer });
  (await limiter.acquire({ key: 'a' })).release();
  await settled();
  await world.advance(10);
  const other = world.limiter({ perKey: true, limit: 3 });
  (await other.acquire({ key: 'b' })).release();
  await settled();
  // Both are sent at once, and b is answered first.
  const both = [limiter.acquire({ key: 'b' }), limiter.acquire({ key: 'a' })];
  for (const one of await Promise.all(both)) one.release();
  await settled();
  expect(limits).toEqual([3]);
});

for (const how of ['refused', 'late', 'granted'] as const) {
  test(`onStoreError local counts the leases that this process holds: ${how}`, async () => {
    const { world, store, limiter } = scene({ limit: 1, onStoreError: 'local' });
    if (how === 'granted') {
      const other = world.limiter();
      const held = await other.acquire();
      // Queued at the store, and then at the local limiter.
      const own = outcome(limiter.acquire());
      await settled();
      store.trouble = 'silent';
      const filler = outcome(limiter.acquire({ queueTimeout: 50_000 }));
      await world.advance(timeout);
      expect([own.permit !== undefined, filler.permit !== undefined]).toEqual([true, false]);
      const third = outcome(limiter.acquire());
      await settled();
      expect(third.permit).toBeUndefined();
      held.release();
      return;
    }
    const held = await limiter.acquire();
    store.trouble = how === 'refused' ? 'refused' : 'silent';
    const next = outcome(limiter.acquire({ queueTimeout: how === 'late' ? timeout / 2 : 10_000 }));
    await world.advance(timeout / 2 + 1);
    expect(next.permit).toBeUndefined();
    expect(limiter.inflight).toBe(1);
    held.release();
  });
}

test('handoff: a waiter that takes over a queued lease keeps it past the first waiter’s deadline', async () => {
  const { world, limiter } = scene({ limit: 1, handoff: 5 });
  const other = world.limiter();
  const held = await limiter.acquire();
  // The first waiter has little time left; the second, whose lease is not requested yet, has much.
  const first = outcome(limiter.acquire({ queueTimeout: 200 }));
  const second = outcome(limiter.acquire());
  await settled();
  const elsewhere = outcome(other.acquire());
  await settled();
  await world.advance(50);
  held.release(); // Passes to the first waiter, whose queued lease goes to the second.
  await settled();
  expect(first.permit).toBeDefined();
  // Without an extension, the store would have removed the lease at the first waiter's deadline.
  await world.advance(250);
  first.permit?.release();
  await settled();
  expect({
    second: second.permit !== undefined,
    elsewhere: elsewhere.permit !== undefined,
  }).toEqual({
    second: true,
    elsewhere: false,
  });
});

test('an answer that arrives after its lease has expired admits no caller', async () => {
  const world = new World();
  const store = world.connect({}, SlowStore);
  const limiter = world.limiter({ store, queueTimeout: Infinity });
  store.held = [];
  const late = outcome(limiter.acquire());
  await settled();
  world.clock.busy(lease + 100);
  const other = await world.limiter().acquire();
  store.go();
  await settled();
  expect(late.permit).toBeUndefined();
  other.release();
  await world.advance(lease);
  expect(late.permit?.fencing).toBeGreaterThan(other.fencing ?? 0n);
  late.permit?.release();
  await world.advance(lease);
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

/** A store that handles the first two calls in the opposite order, and answers them in theirs. */
class ReorderingStore extends TestStore {
  #earlier: (() => Promise<Answer[]>) | undefined;
  #answered: Promise<unknown> | undefined;
  override async send(ops: readonly Op[]): Promise<Answer[]> {
    if (this.#answered !== undefined) return super.send(ops);
    if (this.#earlier === undefined) {
      return new Promise((resolve) => {
        this.#earlier = async () => {
          const answers = await super.send(ops);
          resolve(answers);
          return answers;
        };
      });
    }
    const answers = await super.send(ops);
    this.#answered = this.#earlier();
    await this.#answered;
    return answers;
  }
}

test('a release that overtakes the request for its lease is sent again', async () => {
  const world = new World();
  const store = world.connect({}, ReorderingStore);
  const limiter = world.limiter({ store });
  const controller = new AbortController();
  const aborted = outcome(limiter.acquire({ signal: controller.signal }));
  await settled();
  controller.abort();
  await settled();
  expect(aborted.error).toBeDefined();
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  (await limiter.acquire()).release();
});

class ThrowingStore extends TestStore {
  throwing = false;
  override send(ops: readonly Op[]): Promise<Answer[]> {
    if (this.throwing) throw new Error('sync');
    return super.send(ops);
  }
  override stats(ref: { name: string }): Promise<StoreStats> {
    if (this.throwing) throw new Error('sync stats');
    return super.stats(ref);
  }
}

test('a store that throws counts as unavailable, and is probed again', async () => {
  const world = new World();
  const store = world.connect({}, ThrowingStore);
  const errors: unknown[] = [];
  const caught = (error: unknown) => errors.push(error);
  process.on('unhandledRejection', caught);
  const limiter = world.limiter({ store });
  store.throwing = true;
  const one = outcome(limiter.acquire());
  await settled();
  await world.advance(2 * timeout);
  store.throwing = false;
  await world.advance(4 * timeout);
  process.off('unhandledRejection', caught);
  expect(errors).toEqual([]);
  expect(one.error).toBeInstanceOf(StoreError);
  (await limiter.acquire()).release();
});

test('a renewal corrects a weight whose resize was lost', async () => {
  const { world, store, limiter } = scene({ limit: 5 });
  const permit = await limiter.acquire();
  store.trouble = 'refused';
  permit.adjust(4);
  await settled();
  store.trouble = undefined;
  await world.advance(lease);
  expect(await world.stats()).toMatchObject({ inflight: 4 });
  permit.release();
});

test.each(['reject', 'admit', 'local'] as const)(
  '%s: a waiter whose lease is requested just before its deadline is rejected with timeout',
  async (onStoreError) => {
    const world = new World();
    const store = world.connect({ handoff: 2 }, SlowStore);
    const limiter = world.limiter({ store, onStoreError });
    const held = await world.limiter().acquire();
    const first = outcome(limiter.acquire({ queueTimeout: 1000 }));
    await settled();
    await world.advance(10);
    const second = outcome(limiter.acquire({ queueTimeout: 1000 }));
    await world.advance(980);
    store.held = [];
    // The first is gone; the second's lease is requested, and not answered before its deadline.
    await world.advance(30);
    expect(first.error).toMatchObject({ rejection: { reason: 'timeout' } });
    expect(second.error).toMatchObject({ rejection: { reason: 'timeout' } });
    store.go();
    held.release();
  },
);

test('a key is evicted when its idle lease was lost', async () => {
  const { world, store, limiter } = scene({ limit: 3, reserve: 1, perKey: true });
  (await limiter.acquire({ key: 'a' })).release();
  // The process is paused while the lease is idle.
  world.clock.busy(lease);
  limiter.setLimit(2);
  store.listener?.check();
  await settled();
  await world.advance(2 * lease);
  expect(limiter.stats().keys).toBe(0);
});
