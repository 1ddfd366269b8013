import { expect, test } from 'vitest';
import type { OutagePolicy } from '../../src/index.ts';
import { lease, outcome, scene, settled, timeout } from './world.ts';

const closed = { code: 'ERR_HEADGATE_REJECTED', rejection: { reason: 'closed' } };

/** A process whose store has become unavailable. */
async function away(onStoreError: OutagePolicy, operate?: 'pause' | 'drain') {
  const all = scene({ onStoreError, limit: 2, queueLimit: 5 });
  const { world, store, limiter } = all;
  (await limiter.acquire()).release();
  if (operate !== undefined) limiter[operate]();
  await settled();
  store.trouble = 'silent';
  limiter.acquire().then(
    (permit) => permit.release(),
    () => {},
  );
  await world.advance(timeout);
  expect(limiter.stats().distributed?.up).toBe(false);
  return { ...all, other: world.limiter({ limit: 2 }) };
}

test.each(['admit', 'local'] as const)(
  'a limit that was paused admits nothing in an outage (%s)',
  async (policy) => {
    const { world, store, limiter } = await away(policy, 'pause');
    const waiting = outcome(limiter.acquire());
    await settled();
    expect([waiting, limiter.state]).toEqual([{}, 'paused']);
    store.trouble = undefined;
    await world.advance(3 * timeout);
    expect(waiting).toEqual({});
    limiter.resume();
    await settled();
    expect(waiting.permit).toBeDefined();
  },
);

test.each(['admit', 'local', 'reject'] as const)(
  'a limit that was drained rejects requests as closed in an outage (%s)',
  async (policy) => {
    const { limiter } = await away(policy, 'drain');
    await expect(limiter.acquire()).rejects.toMatchObject(closed);
  },
);

test.each(['admit', 'local'] as const)(
  'pausing and resuming apply in this process during an outage (%s)',
  async (policy) => {
    const { limiter } = await away(policy);
    limiter.pause();
    const waiting = [1, 2, 3].map(() => outcome(limiter.acquire()));
    await settled();
    expect(waiting).toEqual([{}, {}, {}]);
    limiter.resume();
    await settled();
    const admitted = waiting.filter(({ permit }) => permit !== undefined);
    expect(admitted).toHaveLength(policy === 'admit' ? 3 : 2);
  },
);

test('draining during an outage rejects the waiters of this process', async () => {
  const { limiter } = await away('local');
  await Promise.all([limiter.acquire(), limiter.acquire()]);
  const waiting = outcome(limiter.acquire());
  await settled();
  limiter.drain();
  await settled();
  expect(waiting.error).toMatchObject(closed);
});

test('a change made in an outage reaches the other processes when the store is back', async () => {
  const { world, store, limiter, other } = await away('local');
  limiter.drain();
  (await other.acquire()).release();
  store.trouble = undefined;
  await world.advance(3 * timeout);
  expect(limiter.stats().distributed?.up).toBe(true);
  await expect(other.acquire()).rejects.toMatchObject(closed);
});

test('the last of several changes in an outage applies', async () => {
  const { world, store, limiter, other } = await away('local');
  limiter.pause();
  limiter.shadow();
  limiter.resume();
  store.trouble = undefined;
  await world.advance(3 * timeout);
  await Promise.all([other.acquire(), other.acquire(), other.acquire()]);
  expect([other.state, other.mode]).toEqual(['open', 'shadow']);
});

test('a change whose answer is lost is made again, and once', async () => {
  const { world, store, limiter } = scene();
  const other = world.limiter();
  (await limiter.acquire()).release();
  await settled();
  store.trouble = 'deaf';
  limiter.pause();
  await world.advance(timeout);
  store.trouble = undefined;
  other.resume();
  await world.advance(3 * timeout);
  // Its own change is declared again, which is the latest one.
  expect(limiter.state).toBe('paused');
  const waiting = outcome(other.acquire());
  await settled();
  expect([other.state, waiting]).toEqual(['paused', {}]);
});

test.each([false, true])(
  'a limit set in an outage reaches the others without a request of its process (by key: %s)',
  async (perKey) => {
    const observer = { conflict: () => {} };
    const { world, store, limiter } = scene({ perKey, limit: 2, observer });
    const other = world.limiter({ perKey, limit: 2, observer });
    const [here, there] = perKey ? [{ key: 'a' }, { key: 'b' }] : [{}, {}];
    (await limiter.acquire(here)).release();
    (await other.acquire(there)).release();
    await settled();
    store.trouble = 'silent';
    limiter.setLimit(5);
    await world.advance(timeout);
    store.trouble = undefined;
    await world.advance(lease / 2);
    (await other.acquire(there)).release();
    await settled();
    expect(other.limit).toBe(5);
  },
);

test('a change that the store refuses is made again, without a request of its process', async () => {
  const observer = { conflict: () => {} };
  const { world, store, limiter } = scene({ limit: 2 });
  const other = world.limiter({ limit: 2, observer });
  (await other.acquire()).release();
  store.trouble = 'refused';
  limiter.setLimit(5);
  limiter.pause();
  await world.advance(3 * timeout);
  expect(limiter.stats().distributed?.up).toBe(true);
  store.trouble = undefined;
  await world.advance(3 * timeout);
  const waiting = outcome(other.acquire());
  await settled();
  expect([other.state, other.limit, waiting]).toEqual(['paused', 5, {}]);
});

test('a closed limiter makes no change again that the store has refused', async () => {
  const { world, store, limiter } = scene();
  store.trouble = 'refused';
  limiter.pause();
  await settled();
  await limiter.close();
  const calls = store.calls.length;
  await world.advance(5 * timeout);
  expect(store.calls).toHaveLength(calls);
});
