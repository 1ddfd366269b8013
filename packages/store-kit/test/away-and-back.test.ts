import { call } from '@headgate/test-kit/caller';
import { describe, expect, test } from 'vitest';
import type { StoreStats } from '../src/index.ts';
import { lease, outcome, scene, settled, TestStore, timedOut, timeout, World } from './world.ts';

describe('a store that is available again', () => {
  test('restores its waiters in order, even if it has lost its state', async () => {
    const { world, store, limiter } = scene({ onStoreError: 'local' });
    const other = world.limiter();
    const held = await limiter.acquire();
    const first = outcome(limiter.acquire());
    await settled();
    const second = outcome(other.acquire());
    await settled();
    store.trouble = 'silent';
    await world.advance(lease / 3 + timeout + 50);
    expect(limiter.stats()).toMatchObject({ queued: 1, distributed: { up: false } });
    world.memory.wipe();
    store.trouble = undefined;
    await world.advance(2 * timeout);
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 1 });
    // The other process notices the loss at its next renewal.
    await world.advance(lease / 3);
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 2 });
    expect(limiter.stats()).toMatchObject({ queued: 1, distributed: { up: true } });
    held.release();
    await settled();
    expect([first.permit !== undefined, second.permit !== undefined]).toEqual([true, false]);
    first.permit?.release();
    await settled();
    second.permit?.release();
  });

  test('receives the requests whose calls were lost', async () => {
    const { world, store, limiter } = scene({ onStoreError: 'local' });
    const held = await limiter.acquire();
    store.trouble = 'silent';
    const waiting = outcome(limiter.acquire());
    await world.advance(timeout);
    expect([waiting.permit, limiter.queued]).toEqual([undefined, 1]);
    store.trouble = undefined;
    await world.advance(2 * timeout);
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 1 });
    held.release();
    await settled();
    expect(waiting.permit?.fencing).toBeDefined();
    waiting.permit?.release();
  });

  test('does not restore a permit whose lease may have expired meanwhile', async () => {
    const { world, store, limiter } = scene({ onStoreError: 'admit' });
    const held = await limiter.acquire();
    store.trouble = 'silent';
    await world.advance(lease / 3 + timeout + 50);
    expect(held.signal.aborted).toBe(false);
    // The process is paused; its first event is that the store is available again.
    world.clock.busy(lease);
    store.trouble = undefined;
    store.listener?.state(true);
    await settled();
    expect(held.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
    expect(limiter.stats().distributed).toMatchObject({ up: true, lost: 1 });
    held.release();
  });

  test.each([
    ['a new request', true],
    ['a request pending at the store', false],
  ])('restores no waiter that declined to queue meanwhile: %s', async (_, isNewcomer) => {
    const { world, store, limiter } = scene({ onStoreError: 'local' });
    const held = await limiter.acquire();
    store.trouble = 'silent';
    if (isNewcomer) await world.advance(lease / 3 + timeout + 50);
    const caller = call(limiter, { mayStay: () => false });
    await world.advance(timeout);
    expect(caller.rejection).toMatchObject({ reason: 'full' });
    expect(limiter.stats()).toMatchObject({ queued: 0, rejected: { full: 1 } });
    held.release();
    expect(caller.answers).toBe(1);
  });

  test('restores no waiter that was withdrawn in its mayStay() callback', async () => {
    const { world, store, limiter } = scene({ onStoreError: 'local' });
    const held = await limiter.acquire();
    store.trouble = 'silent';
    const leaves = () => {
      limiter.withdraw(caller);
      return true;
    };
    const caller = call(limiter, { mayStay: leaves });
    await world.advance(timeout);
    expect(caller.answers).toBe(0);
    expect(limiter.stats()).toMatchObject({ queued: 0, withdrawn: 1 });
    held.release();
    expect(caller.answers).toBe(0);
  });

  test('leaves room for requests during the outage, since idle leases do not count', async () => {
    const world = new World();
    const store = world.connect({ reserve: 1 });
    const limiter = world.limiter({ store, limit: 2, onStoreError: 'local' });
    (await limiter.acquire()).release();
    await settled();
    store.trouble = 'silent';
    // The idle lease has too little weight for it, and the store does not answer in time.
    const large = outcome(limiter.acquire({ weight: 2 }));
    await world.advance(timeout);
    expect(large.permit?.weight).toBe(2);
    large.permit?.release();
  });

  test.each(['admit', 'local', 'reject'] as const)(
    '%s: rejects a caller with timeout if its deadline passes before the answer',
    async (policy) => {
      const { world, store, limiter } = scene({ onStoreError: policy });
      const held = await limiter.acquire();
      store.trouble = 'silent';
      const hurried = outcome(limiter.acquire({ queueTimeout: 100 }));
      await world.advance(100);
      expect(hurried).toMatchObject({ error: { rejection: { reason: 'timeout' } } });
      held.release();
      store.trouble = undefined;
      await world.advance(lease);
      expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
    },
  );
});

describe('a store that reports its connection state', () => {
  const events: boolean[] = [];
  const observer = { store: ({ up }: { up: boolean }) => void events.push(up) };
  const started = async () => {
    const { world, store, limiter } = scene({ observer });
    (await limiter.acquire()).release();
    await settled();
    events.length = 0;
    store.calls.length = 0;
    return { world, store, limiter };
  };

  test('is probed at once, so that no request waits for it', async () => {
    const { store, limiter } = await started();
    store.trouble = 'silent';
    store.listener?.state(false);
    await settled();
    expect(events).toEqual([false]);
    await expect(limiter.acquire()).rejects.toMatchObject({ rejection: { reason: 'store' } });
    expect(store.calls).toEqual([['stats']]);
  });

  test('is probed once per outage, however often it reports a lost connection', async () => {
    const { store, limiter } = await started();
    for (const up of [false, true, false]) store.listener?.state(up);
    await settled();
    expect([events, store.calls]).toEqual([[], [['stats']]]);
    (await limiter.acquire()).release();
  });
});

/** A store whose stats() fails when the test lets it. */
class FailingStats extends TestStore {
  asked = 0;
  fail = () => {};
  override stats(): Promise<StoreStats> {
    this.asked++;
    return new Promise((_, reject) => {
      this.fail = () => reject(timedOut);
    });
  }
}

test('a closed limiter no longer probes the store', async () => {
  const world = new World();
  const store = world.connect({}, FailingStats);
  const limiter = world.limiter({ store });
  store.trouble = 'silent';
  await Promise.all([
    expect(limiter.acquire()).rejects.toMatchObject({ rejection: { reason: 'store' } }),
    world.advance(2 * timeout),
  ]);
  expect(store.asked).toBe(1);
  const closed = limiter.close();
  store.fail();
  await world.advance(2 * lease);
  expect(await closed).toBe(0);
  expect(store.asked).toBe(1);
});
