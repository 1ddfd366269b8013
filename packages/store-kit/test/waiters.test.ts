import { createGate } from '@headgate/core';
import { call } from '@headgate/test-kit/caller';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { collectWarnings } from '@headgate/test-kit/warnings';
import { describe, expect, test } from 'vitest';
import { lease, outcome, scene, settled, timeout, World } from './world.ts';

describe('a waiter of a distributed limit', () => {
  test('is rejected without a call to the store if it declines to wait', async () => {
    const world = new World();
    const store = world.connect();
    const caller = call(world.limiter({ store }), { mayJoin: () => false });
    await settled();
    expect(caller.rejection).toMatchObject({ reason: 'full', waited: 0 });
    expect(store.calls).toEqual([]);
  });

  test('is rejected if its queued() closes the limiter', async () => {
    const world = new World();
    const limiter = world.limiter();
    const whenQueued = () => void limiter.close();
    expect(call(limiter, { whenQueued }).rejection).toMatchObject({ reason: 'closed' });
    expect(call(limiter).rejection).toMatchObject({ reason: 'closed' });
  });

  test('leaves no lease in the store if it declines to be queued there', async () => {
    const world = new World();
    const limiter = world.limiter();
    const held = await limiter.acquire();
    const caller = call(limiter, { mayStay: () => false });
    await settled();
    expect(caller.rejection).toMatchObject({ reason: 'full' });
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 0 });
    held.release();
  });

  test('gets no answer if its caller has left, and the next waiter is granted', async () => {
    const world = new World();
    const limiter = world.limiter();
    const held = await limiter.acquire();
    const gone = call(limiter, { gone: () => true });
    const next = call(limiter);
    await settled();
    held.release();
    await settled();
    expect([gone.answers, next.answers]).toEqual([0, 1]);
    expect(limiter.stats()).toMatchObject({ withdrawn: 1 });
    next.permit?.release();
  });

  test('holds no permit if it throws, and its error surfaces', async () => {
    const world = new World();
    const limiter = world.limiter();
    const bug = new Error('bug');
    const throws = () => {
      throw bug;
    };
    const uncaught = await uncaughtIn(async () => {
      call(limiter, { onGranted: throws });
      await settled();
      const held = await limiter.acquire();
      const late = call(limiter, { queueTimeout: 100, onRejected: throws });
      await world.advance(200);
      expect(late.answers).toBe(1);
      held.release();
      await settled();
    });
    expect(uncaught).toEqual([bug, bug]);
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('can be queued at only one limiter, and withdrawn only there', async () => {
    const world = new World();
    const [one, other] = [world.limiter({ name: 'one' }), world.limiter({ name: 'other' })];
    const held = await one.acquire();
    const caller = call(one);
    expect(() => other.request(caller)).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_WAITING' }),
    );
    other.withdraw(caller);
    other.reject(caller, 'closed');
    await settled();
    expect(one.queued).toBe(1);
    one.reject(caller, 'overloaded');
    expect(caller.rejection).toMatchObject({ reason: 'overloaded' });
    one.reject(caller, 'timeout');
    held.release();
    await settled();
    expect(caller.answers).toBe(1);
  });

  test('may wait without a timeout, or not at all', async () => {
    const world = new World();
    const limiter = world.limiter();
    const held = await limiter.acquire();
    const unlimited = outcome(limiter.acquire({ queueTimeout: Infinity }));
    const hurried = outcome(limiter.acquire({ queueTimeout: 0 }));
    await world.advance(5 * lease);
    expect(hurried.error).toMatchObject({ rejection: { reason: 'full' } });
    held.release();
    await settled();
    unlimited.permit?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test.each([
    [{ weight: 2 }, 'ERR_HEADGATE_WEIGHT'],
    [{ key: 'ann' }, 'ERR_HEADGATE_KEY'],
    [{ limit: 2 }, 'ERR_HEADGATE_KEY'],
    [{ share: 'gold' }, 'ERR_HEADGATE_OPTION'],
    [{ fairBy: 5 as never }, 'ERR_HEADGATE_OPTION'],
    [{ priority: 'urgent' as never }, 'ERR_HEADGATE_OPTION'],
    [{ queueTimeout: -1 }, 'ERR_HEADGATE_OPTION'],
  ])('throws an error for %o', async (options, code) => {
    const world = new World();
    const limiter = world.limiter();
    await expect(limiter.acquire(options)).rejects.toMatchObject({ code });
    expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0, longestWait: 0 });
  });
});

test('usage() returns the limit for a key that is not in use', () => {
  const limiter = new World().limiter({ perKey: true, limit: 3 });
  expect(limiter.usage('unused')).toEqual({ limit: 3, inflight: 0 });
});

test('the weight of a permit may change while the store is unavailable', async () => {
  const warnings = collectWarnings();
  const { world, store, limiter } = scene({ limit: 3, onStoreError: 'admit', warns: true });
  const leased = await limiter.acquire();
  store.trouble = 'silent';
  const local = outcome(limiter.acquire());
  await world.advance(timeout);
  expect(warnings).toEqual(['HEADGATE_STORE']);
  local.permit?.adjust(2);
  leased.adjust(2);
  expect(limiter.inflight).toBe(4);
  store.trouble = undefined;
  await world.advance(lease / 2);
  expect(await world.stats()).toMatchObject({ inflight: 4, holders: 2 });
  local.permit?.release();
  leased.release();
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 0 });
});

test('a gate permit that has lost its lease can be released, and so can its part', async () => {
  const world = new World();
  const store = world.connect();
  const gate = createGate({
    limits: [
      { name: 'user', limit: 1, perKey: true, store },
      { name: 'here', limit: 2 },
    ],
    clock: world.clock,
  });
  const permit = await gate.acquire({ keys: { user: 'ann' } });
  permit.adjust(1, 'user');
  expect(permit.key).toBe('ann');
  permit.release();
  await settled();
  expect(await world.stats('user', 'ann')).toMatchObject({ inflight: 0 });
});

test('a second limiter with the same name on one store is an error until the first is closed', async () => {
  const world = new World();
  const store = world.connect();
  const first = world.limiter({ store });
  expect(() => world.limiter({ store })).toThrow(
    expect.objectContaining({ code: 'ERR_HEADGATE_DUPLICATE_NAME' }),
  );
  await first.close();
  (await world.limiter({ store }).acquire()).release();
});

test('closing a limiter twice does not release the name that another limiter uses', async () => {
  const world = new World();
  const store = world.connect();
  const first = world.limiter({ store });
  await first.close();
  const second = world.limiter({ store });
  await first.close();
  expect(() => world.limiter({ store })).toThrow(
    expect.objectContaining({ code: 'ERR_HEADGATE_DUPLICATE_NAME' }),
  );
  (await second.acquire()).release();
});

test('close() stops waiting for held permits after its timeout', async () => {
  const world = new World();
  const limiter = world.limiter();
  const permit = await limiter.acquire();
  let left: number | undefined;
  void limiter.close({ timeout: 100 }).then((count) => {
    left = count;
  });
  await world.advance(100);
  expect(left).toBe(1);
  expect(permit.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_CLOSED' });
  permit.release();
});
