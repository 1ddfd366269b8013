import { Caller, call } from '@headgate/test-kit/caller';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it, vi } from 'vitest';
import { createGate, createLimiter, type LocalLimiter, lifo } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

// The callbacks of a waiter may call the limiter: no permit is leaked, no waiter answered twice, no limit exceeded.

it.each(['a limiter', 'a gate'])('queued() may request again, at %s', (where) => {
  const limiter = createLimiter({ limit: 1, queueLimit: where === 'a gate' ? 9 : 1 });
  const gate = createGate({ limits: [{ limiter }], queueLimit: 1 });
  const ask = (waiter: Caller) => {
    if (where === 'a gate') askGate(gate, waiter, [{ weight: 1 }]);
    else limiter.request(waiter);
  };
  const other = new Caller();
  const waiter = new Caller({ whenQueued: () => ask(other) });
  ask(new Caller());
  ask(waiter);
  expect([waiter.answers, other.rejection?.reason, limiter.queued]).toEqual([0, 'full', 1]);
});

it('queued() may close the limiter', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1 });
  const holder = call(limiter);
  const whenQueued = () => void limiter.close();
  expect(call(limiter, { whenQueued }).rejection?.reason).toBe('closed');
  holder.permit?.release();
  expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

it.each(['a limiter', 'a gate'])('queued() may withdraw its waiter, at %s', (where) => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9 });
  const gate = createGate({ limits: [{ limiter }] });
  const at = where === 'a gate' ? gate : limiter;
  const holder = call(limiter);
  const waiter: Caller = new Caller({ whenQueued: () => at.withdraw(waiter) });
  if (where === 'a gate') askGate(gate, waiter, [{ weight: 1 }]);
  else limiter.request(waiter);
  holder.permit?.release();
  expect(waiter.answers).toBe(0);
  expect(at.stats()).toMatchObject({ queued: 0, withdrawn: 1 });
});

it('queued() may throw: the waiter stays queued, and the error surfaces', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9 });
  const holder = call(limiter);
  const bug = new Error('a bug of the app');
  const whenQueued = () => {
    throw bug;
  };
  let waiter: Caller | undefined;
  const errors = await uncaughtIn(() => {
    waiter = call(limiter, { whenQueued });
  });
  expect([errors, limiter.queued]).toEqual([[bug], 1]);
  holder.permit?.release();
  expect(waiter?.permit).toBeDefined();
});

it('a displaced waiter may withdraw the one that takes its place', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1, order: lifo() });
  const holder = call(limiter);
  const whenQueued = vi.fn();
  const newcomer = new Caller({ whenQueued });
  const displaced = call(limiter, { onRejected: () => limiter.withdraw(newcomer) });
  limiter.request(newcomer);
  holder.permit?.release();
  expect([displaced.rejection?.reason, newcomer.answers]).toEqual(['full', 0]);
  expect(whenQueued).not.toHaveBeenCalled();
  expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0, withdrawn: 1 });
});

it('a displaced waiter may make room for the one that takes its place', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1, order: lifo() });
  const holder = call(limiter);
  const whenQueued = vi.fn();
  call(limiter, { onRejected: () => holder.permit?.release() });
  const newcomer = call(limiter, { whenQueued });
  expect(newcomer.permit).toBeDefined();
  expect(whenQueued).not.toHaveBeenCalled();
});

it('a new request displaces no waiter if one has expired', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: 2, order: lifo(), clock });
  limiter.tryAcquire();
  const other = call(limiter, { queueTimeout: 1000 });
  const short = call(limiter, { queueTimeout: 10 });
  clock.busy(20);
  const newcomer = call(limiter, { queueTimeout: 1000 });
  expect(short.rejection?.reason).toBe('timeout');
  expect([other.answers, newcomer.answers, limiter.queued]).toEqual([0, 0, 2]);
});

it('rejected() may throw without blocking the next waiter or the eviction of its key', async () => {
  const clock = new VirtualClock();
  const settings = { limit: 2, queueLimit: 9, queueTimeout: 10, clock };
  const limiter = createLimiter({ ...settings, perKey: true });
  const key = 'a';
  const holder = call(limiter, { key });
  const bug = new Error('a bug of the app');
  const onRejected = () => {
    throw bug;
  };
  call(limiter, { key, weight: 2, onRejected });
  const next = call(limiter, { key, queueTimeout: 50 });
  expect(await uncaughtIn(() => clock.advance(10))).toEqual([bug]);
  expect(next.permit).toBeDefined();
  next.permit?.release();
  const errors = await uncaughtIn(() => {
    call(limiter, { key, weight: 2, onRejected });
    holder.permit?.release();
    clock.advance(10);
  });
  expect(errors).toEqual([]);
});

it("a grant that releases another limiter's permit returns before that limiter grants", () => {
  const [one, other] = [1, 2].map(() => createLimiter({ limit: 1, queueLimit: 9 })) as [
    LocalLimiter,
    LocalLimiter,
  ];
  const [held, heldThere] = [one.tryAcquire(), other.tryAcquire()];
  const events: string[] = [];
  const onGranted = () => {
    events.push('begins');
    heldThere?.release();
    events.push('ends');
  };
  call(one, { onGranted });
  call(other, { onGranted: () => events.push('granted there') });
  held?.release();
  expect(events).toEqual(['begins', 'ends', 'granted there']);
});
