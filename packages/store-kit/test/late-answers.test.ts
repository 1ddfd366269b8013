import { expect, test } from 'vitest';
import type { StoreStats } from '../src/index.ts';
import { lease, outcome, SlowStore, settled, TestStore, timeout, World } from './world.ts';

/** A store whose probes are answered on request only. */
class SlowProbeStore extends TestStore {
  #answer: (() => void) | undefined;
  override async stats(ref: { name: string }): Promise<StoreStats> {
    await new Promise<void>((resolve) => {
      this.#answer = resolve;
    });
    return super.stats(ref);
  }
  answer() {
    this.#answer?.();
  }
}

test('a lease that expired while the process was blocked is lost at the end of the outage', async () => {
  const world = new World();
  const store = world.connect({}, SlowProbeStore);
  const limiter = world.limiter({ store, limit: 2 });
  const permit = await limiter.acquire();
  const { signal } = permit;
  store.trouble = 'silent';
  const next = outcome(limiter.acquire());
  await world.advance(2 * timeout);
  expect(next.error).toBeDefined();
  // The timer of the lease is late.
  world.clock.busy(lease);
  expect(signal.aborted).toBe(false);
  store.trouble = undefined;
  store.calls.length = 0;
  store.answer();
  await settled();
  expect(limiter.stats().distributed?.up).toBe(true);
  expect(signal.reason).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
  expect(store.calls.flat()).not.toContain('renew');
});

test('a permit is registered again, and not queued, if the answer to its registration is late by a lease duration', async () => {
  const world = new World();
  const store = world.connect({}, SlowStore);
  const limiter = world.limiter({ store, onStoreError: 'admit' });
  store.trouble = 'silent';
  const admitted = outcome(limiter.acquire());
  await world.advance(timeout);
  expect(admitted.permit).toBeDefined();
  store.trouble = undefined;
  store.held = [];
  await world.advance(2 * timeout);
  expect(store.calls.flat()).toContain('register');
  world.clock.busy(lease + 100);
  await world.limiter().acquire();
  store.go();
  await settled();
  // Both permits exist, so both count.
  expect(await world.stats()).toMatchObject({ inflight: 2, queued: 0 });
  expect(admitted.permit?.signal.aborted).toBe(false);
  admitted.permit?.release();
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 1 });
});
