import { Caller } from '@headgate/test-kit/caller';
import { expect, it } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

// The callbacks of an observer may call the limiter: no permit is leaked, no waiter left in a queue.

it.each([
  ['a limiter', () => createLimiter({ limit: 1, queueLimit: 1 })],
  ['a gate of one limit', () => createGate({ limits: [{ name: 'a', limit: 1 }], queueLimit: 1 })],
  [
    'a gate',
    () => createGate({ limits: [{ limiter: createLimiter({ limit: 1, queueLimit: 1 }) }] }),
  ],
])('an abort within the observer’s admitted(), at %s, leaks nothing', async (_, create) => {
  let controller: AbortController | undefined;
  const entrance = create();
  entrance.observe({ admitted: () => controller?.abort() });
  const held = await entrance.acquire();
  controller = new AbortController();
  const waiting = entrance.acquire({ signal: controller.signal });
  held.release();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect([entrance.holders, entrance.queued]).toEqual([0, 0]);
});

it('a request that an observer withdraws in queued() leaves all queues of its gate', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1 });
  const controller = new AbortController();
  const observer = { queued: () => controller.abort() };
  const gate = createGate({ limits: [{ limiter }] });
  gate.observe(observer);
  limiter.tryAcquire();
  await expect(gate.acquire({ signal: controller.signal })).rejects.toThrow();
  expect([gate.queued, limiter.queued]).toEqual([0, 0]);
});

it("a gate closed within the observer's queued() rejects that waiter too", async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1 });
  const gate = createGate({ limits: [{ limiter }] });
  gate.observe({ queued: () => void gate.close() });
  limiter.tryAcquire();
  await expect(gate.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
  expect([gate.queued, limiter.queued]).toEqual([0, 0]);
});

it('a gate closed while a limit admits a request rejects it', async () => {
  let closed: Promise<number> | undefined;
  const admitted = () => {
    closed = gate.close();
  };
  const limiter = createLimiter({ limit: 1 });
  limiter.observe({ admitted });
  const gate = createGate({ limits: [{ limiter }] });
  await expect(gate.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
  expect(await closed).toBe(0);
  expect([gate.holders, limiter.inflight]).toEqual([0, 0]);
});

it('an observer may lower the next limit of a gate below the weight of the request', () => {
  const observer = { admitted: () => all.setLimit(2) };
  const user = createLimiter({ name: 'user', limit: 1, perKey: true });
  user.observe(observer);
  const all = createLimiter({ name: 'all', limit: 3 });
  const gate = createGate({ limits: [{ limiter: user }, { limiter: all }] });
  const caller = new Caller();
  askGate(gate, caller, [{ key: 'ann', weight: 1 }, { weight: 3 }]);
  // It counts as the whole limit.
  expect([caller.answers, all.inflight, all.limit]).toEqual([1, 2, 2]);
  caller.permit?.release();
  expect([user.inflight, all.inflight]).toEqual([0, 0]);
});
