import { beforeEach, expect, it } from 'vitest';
import { createLimiter, type LocalLimiter, type Permit } from '../src/index.ts';
import { type Caller, call } from './caller.ts';
import { VirtualClock } from './virtual-clock.ts';

// A callback may end a key's last use and begin a new one, while the limiter is still busy with the old.

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
    observer,
  });
  held = limiter.tryAcquire({ key });
});

/** The key falls idle and is taken again. */
function change(): void {
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

it('in a rejection', () => {
  call(limiter, { key, onRejected: change });
  clock.advance(100);
  expectOneHolder();
});

it('while a withdrawal is observed', () => {
  withdrawn = change;
  limiter.withdraw(call(limiter, { key }));
  expectOneHolder();
});

it('while a waiter is asked whether it joins', () => {
  const joins = () => {
    change();
    return true;
  };
  const caller = call(limiter, { key, joins });
  expect(caller.answers).toBe(0);
  limiter.withdraw(caller);
  expectOneHolder();
});

it('while a late timer is made up for', () => {
  limiter = createLimiter({
    ...{ limit: 1, perKey: true, queueLimit: 1, queueTimeout: 100 },
    clock,
  });
  held = limiter.tryAcquire({ key });
  call(limiter, { key, onRejected: change });
  clock.busy(100);
  const caller = call(limiter, { key });
  expect(caller.answers).toBe(0);
  limiter.withdraw(caller);
  expectOneHolder();
});

it('in a grant that a raised limit brings about', () => {
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

it('in a grant', () => {
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

it('while a waiter is asked whether it joins, in a grant: it is first in line before anybody else asks', () => {
  const joins = () => {
    held?.release();
    return true;
  };
  let joined: Caller | undefined;
  const other = limiter.tryAcquire({ key: 'other' });
  call(limiter, {
    key: 'other',
    onGranted: (permit) => {
      joined = call(limiter, { key, joins });
      expect(limiter.tryAcquire({ key })).toBeUndefined();
      permit.release();
    },
  });
  other?.release();
  expect(joined?.permit).toBeDefined();
  held = joined?.permit;
  expectOneHolder();
});

it('in a request that says a higher limit of the key, and so lets somebody in', () => {
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
