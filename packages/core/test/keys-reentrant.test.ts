import { Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { beforeEach, expect, it } from 'vitest';
import { createLimiter, type LocalLimiter, lifo, type Permit } from '../src/index.ts';

// A callback may release the last permit of a key and use the key again while the limiter still processes the old use.

const key = 'a';
let clock: VirtualClock;
let limiter: LocalLimiter;
let held: Permit | undefined;
let withdrawn: (() => void) | undefined;

beforeEach(() => {
  clock = new VirtualClock();
  withdrawn = undefined;
  const observer = { withdrawn: () => withdrawn?.() };
  limiter = createLimiter({
    ...{ limit: 1, perKey: true, queueLimit: 9, queueTimeout: 100 },
    clock,
  });
  limiter.observe(observer);
  held = limiter.tryAcquire({ key });
});

/** Releases the key's only permit, and acquires the key again. */
function reuse(): void {
  held?.release();
  held = limiter.tryAcquire({ key });
  expect(held).toBeDefined();
}

function expectOneHolder(): void {
  expect(limiter.stats()).toMatchObject({ inflight: 1, keys: 1 });
  expect(limiter.usage(key).inflight).toBe(1);
  expect(limiter.tryAcquire({ key })).toBeUndefined();
  held?.release();
  expect(limiter.stats().inflight).toBe(0);
}

it('a key reused within a rejection is counted once', () => {
  call(limiter, { key, onRejected: reuse });
  clock.advance(100);
  expectOneHolder();
});

it('a key reused within the observer’s withdrawn() is counted once', () => {
  withdrawn = reuse;
  limiter.withdraw(call(limiter, { key }));
  expectOneHolder();
});

it('a key reused within queued() is counted once', () => {
  const caller = new Caller({
    key,
    whenQueued: () => {
      limiter.withdraw(caller);
      reuse();
    },
  });
  limiter.request(caller);
  expect(caller.answers).toBe(0);
  expectOneHolder();
});

it('a key is counted once if the rejection of a late waiter uses it again', () => {
  limiter = createLimiter({
    ...{ limit: 1, perKey: true, queueLimit: 1, queueTimeout: 100 },
    clock,
  });
  held = limiter.tryAcquire({ key });
  call(limiter, { key, onRejected: reuse });
  clock.busy(100);
  const caller = call(limiter, { key });
  expect(caller.answers).toBe(0);
  limiter.withdraw(caller);
  expectOneHolder();
});

it('a key is counted once if a grant after a raised limit uses it again', () => {
  call(limiter, {
    key,
    onGranted: (permit) => {
      permit.release();
      held?.release();
      held = limiter.tryAcquire({ key, limit: 2, weight: 2 });
    },
  });
  const caller = call(limiter, { key, limit: 2 });
  expect(limiter.inflight).toBe(2);
  expect(caller.answers).toBe(0);
  held?.release();
  expect(caller.permit).toBeDefined();
  expect(limiter.inflight).toBe(1);
});

it('a key is counted once if its grant uses it again', () => {
  let nested: Caller | undefined;
  call(limiter, {
    key,
    onGranted: (permit) => {
      permit.release();
      nested = call(limiter, { key });
    },
  });
  held?.release();
  expect(nested?.permit).toBeDefined();
  held = nested?.permit;
  expectOneHolder();
});

it('a waiter that joins a key within a grant is queued before any other request', () => {
  const whenQueued = () => held?.release();
  let joined: Caller | undefined;
  const other = limiter.tryAcquire({ key: 'other' });
  call(limiter, {
    key: 'other',
    onGranted: (permit) => {
      joined = call(limiter, { key, whenQueued });
      expect(limiter.tryAcquire({ key })).toBeUndefined();
      permit.release();
    },
  });
  other?.release();
  expect(joined?.permit).toBeDefined();
  held = joined?.permit;
  expectOneHolder();
});

it('a key reused by a request that raises its limit and so grants a waiter is counted once', () => {
  call(limiter, {
    key,
    limit: 1,
    onGranted: (permit) => {
      permit.release();
      held?.release();
    },
  });
  const second = call(limiter, { key, limit: 2 });
  expect(limiter.stats()).toMatchObject({ inflight: 1, keys: 1, admitted: 3 });
  expect(limiter.usage(key)).toEqual({ limit: 2, inflight: 1 });
  second.permit?.release();
  expect(limiter.stats()).toMatchObject({ inflight: 0, keys: 0 });
});

it('tryAcquire() in shadow mode keeps a limit that a grant has just set', () => {
  const onGranted = () => {
    limiter.setLimit(2);
    limiter.shadow();
  };
  call(limiter, { key, onGranted });
  expect(limiter.tryAcquire({ key, limit: 3 })).toBeDefined();
  expect(limiter.usage(key)).toEqual({ limit: 2, inflight: 3 });
});

it('the own limit of a key remains if its last waiter requests it again when it times out', () => {
  limiter.pause();
  const other = { key: 'b', queueTimeout: 12 };
  call(limiter, { ...other, onRejected: () => call(limiter, other) });
  call(limiter, { key: 'b', limit: 2, queueTimeout: 0 });
  clock.advance(12);
  expect(limiter.usage('b').limit).toBe(2);
});

it('the own limit of a key remains if its last waiter is displaced', () => {
  const options = { limit: 1, perKey: true, queueLimit: 1 };
  limiter = createLimiter({ ...options, order: lifo(), clock });
  limiter.pause();
  const displaced = call(limiter, { key, limit: 3 });
  const newcomer = call(limiter, { key });
  expect(displaced.rejection?.reason).toBe('full');
  expect([limiter.usage(key).limit, limiter.queued]).toEqual([3, 1]);
  limiter.resume();
  expect(newcomer.permit).toBeDefined();
  expect(limiter.usage(key)).toEqual({ limit: 3, inflight: 1 });
});
