import type { OutagePolicy } from '@headgate/core/engine';
import { expect, test } from 'vitest';
import { lease, outcome, scene, settled, timeout } from './world.ts';

const closed = { code: 'ERR_HEADGATE_REJECTED', rejection: { reason: 'closed' } };

/** A process whose store has become unavailable. */
async function away(onStoreError: OutagePolicy, operate?: 'pause' | 'rejectAll') {
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
  'after rejectAll() a limit rejects requests as closed in an outage (%s)',
  async (policy) => {
    const { limiter } = await away(policy, 'rejectAll');
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

test('rejectAll() during an outage rejects the waiters of this process', async () => {
  const { limiter } = await away('local');
  await Promise.all([limiter.acquire(), limiter.acquire()]);
  const waiting = outcome(limiter.acquire());
  await settled();
  limiter.rejectAll();
  await settled();
  expect(waiting.error).toMatchObject(closed);
});

test('a change made in an outage reaches the other processes when the store is back', async () => {
  const { world, store, limiter, other } = await away('local');
  limiter.rejectAll();
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

test('a change whose answer is lost is sent again, exactly once', async () => {
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
  'a limit set in an outage reaches the other processes without further requests (by key: %s)',
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

test.each(['reject', 'admit', 'local'] as const)(
  'ending shadow mode in an outage applies onStoreError to new requests (%s)',
  async (policy) => {
    const { world, store, limiter, other } = await away(policy);
    limiter.shadow();
    const admitted = await Promise.all([1, 2, 3].map(() => limiter.acquire()));
    limiter.enforce();
    const next = outcome(limiter.acquire());
    await settled();
    if (policy === 'admit') expect(next.permit).toBeDefined();
    else if (policy === 'local') expect(next).toEqual({});
    else expect(next.error).toMatchObject({ rejection: { reason: 'store' } });
    store.trouble = undefined;
    await world.advance(3 * timeout);
    // Those admitted in shadow mode count.
    const there = outcome(other.acquire());
    await settled();
    expect([there, other.mode]).toEqual([{}, 'enforce']);
    for (const permit of admitted) permit.release();
    await settled();
    expect((next.permit ?? there.permit) !== undefined).toBe(true);
  },
);

test('waiters of a paused limit are rejected when shadow mode ends in an outage with onStoreError: reject', async () => {
  const { world, store, limiter } = await away('reject');
  limiter.shadow();
  limiter.pause();
  const waiting = [outcome(limiter.acquire()), outcome(limiter.acquire())];
  await settled();
  expect(waiting).toEqual([{}, {}]);
  const events: string[] = [];
  limiter.observe({
    operated: ({ operation }) => void events.push(operation),
    rejected: ({ rejection: { reason } }) => void events.push(reason),
  });
  limiter.enforce();
  await settled();
  const error = { code: 'ERR_HEADGATE_STORE_TIMEOUT', rejection: { reason: 'store' } };
  expect(waiting).toMatchObject([{ error }, { error }]);
  expect(events).toEqual(['enforce', 'store', 'store']);
  limiter.resume();
  store.trouble = undefined;
  await world.advance(lease);
  expect(limiter.stats()).toMatchObject({ admitted: 1, inflight: 0, queued: 0 });
});

test('a rejecting limit rejects new requests before the store has received the change', async () => {
  const { world, store, limiter } = scene({ limit: 2 });
  (await limiter.acquire()).release();
  await settled();
  store.trouble = 'silent';
  limiter.rejectAll();
  await settled();
  // The store grants again, but the change is lost.
  store.trouble = undefined;
  await expect(limiter.acquire()).rejects.toMatchObject(closed);
  await world.advance(4 * timeout);
  await expect(world.limiter({ limit: 2 }).acquire()).rejects.toMatchObject(closed);
});

test.each(['pause', 'rejectAll'] as const)(
  'a limit that was stopped before an outage is open for all processes if it is resumed in the outage: %s',
  async (operation) => {
    const { world, store, limiter, other } = await away('local', operation);
    const there = outcome(other.acquire());
    await settled();
    expect(there.permit).toBeUndefined();
    limiter.resume();
    const here = outcome(limiter.acquire());
    await settled();
    expect(here.permit).toBeDefined();
    store.trouble = undefined;
    await world.advance(3 * timeout);
    // Waiters are granted without a request of their process.
    if (operation === 'pause') expect(there.permit).toBeDefined();
    here.permit?.release();
    (await other.acquire()).release();
    expect([limiter.state, other.state]).toEqual(['open', 'open']);
  },
);

test.each([false, true])(
  'after changes by two disconnected processes, the latest one applies in all processes (by key: %s)',
  async (perKey) => {
    const { world, store, limiter } = scene({ perKey, limit: 2, onStoreError: 'local' });
    const far = world.connect();
    const other = world.limiter({ perKey, limit: 2, store: far, onStoreError: 'local' });
    const [here, there] = perKey ? [{ key: 'a' }, { key: 'b' }] : [{}, {}];
    const held = await Promise.all([limiter.acquire(here), other.acquire(there)]);
    await settled();
    store.trouble = 'silent';
    far.trouble = 'silent';
    for (const name of ['pause', 'rejectAll', 'shadow', 'resume', 'enforce', 'pause'] as const)
      limiter[name]();
    for (const name of ['shadow', 'pause', 'resume', 'rejectAll'] as const) other[name]();
    await world.advance(2 * timeout);
    store.trouble = undefined;
    await world.advance(2 * timeout);
    far.trouble = undefined;
    await world.advance(lease + 2 * timeout);
    for (const permit of held) permit.release();
    for (const name of [limiter, other, world.limiter({ perKey, limit: 2 })])
      await expect(name.acquire(here)).rejects.toMatchObject(closed);
    expect([limiter, other].map(({ state, mode }) => [state, mode])).toEqual([
      ['rejecting', 'shadow'],
      ['rejecting', 'shadow'],
    ]);
  },
);

test.each(['admit', 'local'] as const)(
  'waiters of a paused limit leave no trace if they abort or the limiter closes in an outage (%s)',
  async (policy) => {
    const { world, store, limiter } = await away(policy);
    limiter.pause();
    const controller = new AbortController();
    const { signal } = controller;
    const [aborted, waiting] = [outcome(limiter.acquire({ signal })), outcome(limiter.acquire())];
    await settled();
    controller.abort();
    await settled();
    expect([aborted.error, limiter.queued]).toEqual([signal.reason, 1]);
    const left = limiter.close();
    await settled();
    expect(waiting.error).toMatchObject(closed);
    store.trouble = undefined;
    await world.advance(2 * lease);
    expect(await left).toBe(0);
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
    expect(world.clock.armed).toBe(0);
  },
);

test('a limiter closed before a change times out does not report that the store is available', async () => {
  const reported: unknown[] = [];
  const observer = { store: (event: unknown) => void reported.push(event) };
  const { world, store, limiter } = scene({ observer });
  const waiting = [outcome(limiter.acquire()), outcome(limiter.acquire())];
  await settled();
  store.trouble = 'silent';
  limiter.pause();
  const closing = limiter.close({ timeout: 0 });
  await world.advance(timeout);
  expect([await closing, reported]).toEqual([1, []]);
  expect(waiting[1]?.error).toMatchObject(closed);
});
