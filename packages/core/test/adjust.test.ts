import { Caller, call } from '@headgate/test-kit/caller';
import { expect, it } from 'vitest';
import { createGate, createLimiter, type Permit } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

it('a lower weight admits the next waiters at once', () => {
  const limiter = createLimiter({ limit: 4, queueLimit: 9 });
  const holder = call(limiter, { weight: 4 });
  const waiting = [call(limiter, { weight: 2 }), call(limiter), call(limiter)];
  holder.permit?.adjust(1);
  expect(waiting.map(({ answers }) => answers)).toEqual([1, 1, 0]);
  expect([limiter.inflight, holder.permit?.weight]).toEqual([4, 1]);
  for (const { permit } of [holder, ...waiting]) permit?.release();
  expect(limiter.inflight).toBe(0);
});

it('a higher weight applies at once, even above the limit, and delays later grants', () => {
  const limiter = createLimiter({ limit: 4, queueLimit: 9 });
  const [one, other] = [call(limiter), call(limiter)];
  one.permit?.adjust(9);
  expect(limiter.inflight).toBe(10);
  const waiting = call(limiter);
  other.permit?.release();
  expect([waiting.answers, limiter.inflight]).toEqual([0, 9]);
  one.permit?.release();
  expect([waiting.answers, limiter.inflight]).toEqual([1, 1]);
});

it('adjust() does not change the limit after the release, and throws for an invalid weight', () => {
  const limiter = createLimiter({ limit: 4 });
  const permit = limiter.tryAcquire() as Permit;
  for (const weight of [0, -1, 1.5, Number.NaN, '2']) {
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'weight' };
    expect(() => permit.adjust(weight as number)).toThrow(expect.objectContaining(error));
  }
  const error = { code: 'ERR_HEADGATE_KEY', option: 'limit' };
  expect(() => permit.adjust(2, 'other')).toThrow(expect.objectContaining(error));
  permit.adjust(2, 'unnamed');
  expect(limiter.inflight).toBe(2);
  permit.release();
  permit.adjust(3);
  expect([limiter.inflight, permit.weight]).toEqual([0, 3]);
});

it('in a gate, adjust() applies to the named limit or, by default, to the limits with the highest weight', () => {
  const limits = [
    { name: 'user', limit: 9, perKey: true },
    { name: 'app', limit: 9 },
  ];
  const gate = createGate({ limits });
  const caller = new Caller();
  askGate(gate, caller, [{ key: 'a', weight: 1 }, { weight: 2 }]);
  const weights = () => [caller.permit?.weight, ...gate.stats().limits.map((one) => one.inflight)];
  caller.permit?.adjust(5);
  expect(weights()).toEqual([5, 1, 5]);
  caller.permit?.adjust(7, 'user');
  expect(weights()).toEqual([7, 7, 5]);
  caller.permit?.adjust(1);
  expect(weights()).toEqual([5, 1, 5]);
  caller.permit?.release();
  expect(weights().slice(1)).toEqual([0, 0]);
});

it('adjust() applies to the permit’s key only', () => {
  const limiter = createLimiter({ limit: 3, perKey: true, queueLimit: 9 });
  const [a, b] = [call(limiter, { key: 'a' }), call(limiter, { key: 'b' })];
  a.permit?.adjust(3);
  const waiting = [call(limiter, { key: 'a' }), call(limiter, { key: 'b' })];
  expect(waiting.map(({ answers }) => answers)).toEqual([0, 1]);
  a.permit?.adjust(2);
  expect(waiting.map(({ answers }) => answers)).toEqual([1, 1]);
  for (const { permit } of [a, b, ...waiting]) permit?.release();
  expect(limiter.stats()).toMatchObject({ inflight: 0, keys: 0 });
});
