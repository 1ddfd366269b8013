import { Caller, call } from '@headgate/test-kit/caller';
import { expect, test } from 'vitest';
import { outcome, settled, World } from './world.ts';

// Application code that calls the limiter within its callbacks.

test('a waiter withdrawn in its mayStay() callback leaves no lease in the store', async () => {
  const world = new World();
  const limiter = world.limiter();
  const held = await limiter.acquire();
  const leaves = () => {
    limiter.withdraw(caller);
    return true;
  };
  const caller = call(limiter, { mayStay: leaves });
  await settled();
  expect(caller.answers).toBe(0);
  expect(limiter.stats()).toMatchObject({ queued: 0, withdrawn: 1 });
  expect(await world.stats()).toMatchObject({ inflight: 1, queued: 0 });
  held.release();
});

test('a waiter withdrawn before the store answers full gets no answer and sends at most one release', async () => {
  const world = new World();
  const store = world.connect();
  const held = await world.limiter({ queueLimit: 0 }).acquire();
  const limiter = world.limiter({ store, queueLimit: 0 });
  const caller = call(limiter);
  await Promise.resolve();
  limiter.withdraw(caller);
  await settled();
  expect(caller.answers).toBe(0);
  expect(store.calls.flat().filter((verb) => verb === 'release').length).toBeLessThanOrEqual(1);
  expect(await world.stats()).toMatchObject({ inflight: 1, queued: 0 });
  held.release();
});

test('a waiter rejected by close() may withdraw another one, which then gets no answer', async () => {
  const world = new World();
  const limiter = world.limiter();
  const held = await limiter.acquire();
  const first = call(limiter, { onRejected: () => limiter.withdraw(second) });
  const second = call(limiter);
  await settled();
  const closed = limiter.close();
  expect([first.rejection?.reason, second.answers]).toEqual(['closed', 0]);
  expect(limiter.stats()).toMatchObject({ rejected: { closed: 1 }, withdrawn: 1 });
  held.release();
  expect(await closed).toBe(0);
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('a key that is released and reused within a rejection stays in use', async () => {
  const world = new World();
  const limiter = world.limiter({ perKey: true });
  const held = await world.limiter({ perKey: true }).acquire({ key: 'ann' });
  const next = new Caller({ key: 'ann' });
  const asksAgain = () => {
    limiter.withdraw(call(limiter, { key: 'ann' }));
    limiter.request(next);
  };
  const first = call(limiter, { key: 'ann', onRejected: asksAgain });
  await settled();
  limiter.reject(first, 'overloaded');
  expect(limiter.stats()).toMatchObject({ keys: 1, withdrawn: 1 });
  held.release();
  await settled();
  expect(limiter.usage('ann').inflight).toBe(1);
  next.permit?.release();
  await settled();
  expect(limiter.stats()).toMatchObject({ keys: 0, inflight: 0, queued: 0 });
});

test('a permit does not pass to a waiter past its deadline even if its timer has not fired', async () => {
  const world = new World();
  const limiter = world.limiter({ handoff: 1 });
  const held = await limiter.acquire();
  const late = outcome(limiter.acquire({ queueTimeout: 50 }));
  const next = outcome(limiter.acquire());
  await settled();
  world.clock.busy(60);
  held.release();
  await settled();
  expect(late.error).toMatchObject({ rejection: { reason: 'timeout', waited: 60 } });
  expect(next.permit).toBeDefined();
  next.permit?.release();
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});
