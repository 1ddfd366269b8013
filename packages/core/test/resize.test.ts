import { Caller, call, type Wishes } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createGate, createLimiter, type Permit } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

function inUse(limit: number, held: number) {
  const limiter = createLimiter({ limit, queueLimit: 9 });
  const permits = Array.from({ length: held }, () => limiter.tryAcquire() as Permit);
  return { limiter, permits };
}

it('raising the limit grants the waiters that now fit, in order', () => {
  const { limiter } = inUse(1, 1);
  const waiting = [call(limiter), call(limiter), call(limiter)];
  limiter.setLimit(3);
  expect(waiting.map(({ answers }) => answers)).toEqual([1, 1, 0]);
  expect([limiter.limit, limiter.inflight]).toEqual([3, 3]);
});

it('lowering the limit revokes no permit and admits no request until enough is released', () => {
  const { limiter, permits } = inUse(4, 4);
  const waiting = call(limiter);
  limiter.setLimit(2);
  expect(limiter.inflight).toBe(4);
  expect(permits.some(({ signal }) => signal.aborted)).toBe(false);
  const [one, two, three] = permits as [Permit, Permit, Permit];
  one.release();
  two.release();
  expect([waiting.answers, limiter.inflight]).toEqual([0, 2]);
  three.release();
  expect([waiting.answers, limiter.inflight]).toEqual([1, 2]);
});

it('a waiter heavier than a lowered limit is granted alone, and counts as the whole limit', () => {
  const { limiter, permits } = inUse(4, 2);
  const overtaken = call(limiter, { weight: 4 });
  const behind = call(limiter);
  limiter.setLimit(2);
  permits[0]?.release();
  expect([overtaken.answers, behind.answers]).toEqual([0, 0]);
  permits[1]?.release();
  expect(overtaken.permit?.weight).toBe(2);
  expect([behind.answers, limiter.inflight]).toEqual([0, 2]);
  overtaken.permit?.release();
  expect([behind.answers, limiter.inflight]).toEqual([1, 1]);
});

it('lowering the limit to the weight held does not block the queue', () => {
  const { limiter, permits } = inUse(3, 1);
  limiter.setLimit(1);
  expect(call(limiter, { queueTimeout: 1000 }).answers).toBe(0);
  permits[0]?.release();
  expect(limiter.inflight).toBe(1);
});

it('a new weight above a lowered limit is an error; a weight held before is released in full', () => {
  const { limiter } = inUse(4, 0);
  const large = limiter.tryAcquire({ weight: 4 });
  limiter.setLimit(3);
  expect(() => limiter.tryAcquire({ weight: 4 })).toThrow('from 1 to the limit of "unnamed" (3)');
  large?.release();
  expect(limiter.inflight).toBe(0);
});

it('setLimit() of a keyed limiter applies to keys in use and to new ones', () => {
  const limiter = createLimiter({ limit: 1, perKey: true, queueLimit: 9 });
  limiter.tryAcquire({ key: 'a' });
  limiter.tryAcquire({ key: 'b' });
  const waiting = [call(limiter, { key: 'a' }), call(limiter, { key: 'b' })];
  limiter.setLimit(2);
  expect(waiting.map(({ answers }) => answers)).toEqual([1, 1]);
  expect(limiter.tryAcquire({ key: 'c', weight: 2 })).toBeDefined();
});

it('setLimit() applies to all keys before it grants a waiter, and the latest call wins', () => {
  const limiter = createLimiter({ limit: 1, perKey: true, queueLimit: 9 });
  limiter.tryAcquire({ key: 'a' });
  limiter.tryAcquire({ key: 'b' });
  const [seen, onGranted] = [[] as number[], () => limiter.setLimit(1)];
  const look = () => void seen.push(limiter.usage('b').limit);
  const first = call(limiter, { key: 'a', onGranted: look });
  const second = call(limiter, { key: 'a', onGranted });
  const other = call(limiter, { key: 'b' });
  limiter.setLimit(3);
  expect([first.answers, second.answers, other.answers]).toEqual([1, 1, 0]);
  expect(seen).toEqual([3]);
});

it('a grant may call setLimit()', () => {
  const { limiter, permits } = inUse(2, 2);
  const first = call(limiter, { onGranted: () => limiter.setLimit(1) });
  const second = call(limiter);
  permits[0]?.release();
  permits[1]?.release();
  expect([first.answers, second.answers, limiter.inflight]).toEqual([1, 0, 1]);
  first.permit?.release();
  expect(second.answers).toBe(1);
});

it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '3', undefined])(
  'setLimit(%s) throws and keeps the old limit',
  (limit) => {
    const { limiter } = inUse(2, 0);
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'limit' };
    expect(() => limiter.setLimit(limit as number)).toThrow(expect.objectContaining(error));
    expect(limiter.limit).toBe(2);
  },
);

describe('a request whose arrival expires a waiter, whose callback lowers the limit below its weight', () => {
  it.each([
    ['in front of a full queue', { queueLimit: 1 }, false],
    ['in front of a queue that is full by weight', { queueWeight: 2 }, false],
    ['in shadow mode', { queueLimit: 1 }, true],
  ])(
    'is admitted if the limiter is idle, and counts as the whole limit: %s',
    (_, options, isShadow) => {
      const clock = new VirtualClock();
      const limiter = createLimiter({ limit: 2, clock, ...options });
      const holder = limiter.tryAcquire() as Permit;
      // In shadow mode, only a paused limiter has a queue.
      if (isShadow) limiter.pause();
      if (isShadow) limiter.shadow();
      const onRejected = () => {
        holder.release();
        limiter.resume();
        limiter.setLimit(1);
      };
      const late = call(limiter, { weight: 2, queueTimeout: 10, onRejected });
      clock.busy(10);
      const request = call(limiter, { weight: 2, queueTimeout: 10, mayJoin: () => false });
      expect(late.rejection?.reason).toBe('timeout');
      expect(request.rejection).toBeUndefined();
      expect([request.permit?.weight, limiter.inflight]).toEqual([1, 1]);
    },
  );

  it('is admitted to the next limit of its gate', () => {
    const clock = new VirtualClock();
    const app = createLimiter({ name: 'app', limit: 2, clock, queueLimit: 1 });
    const user = { name: 'user', limit: 1, perKey: true };
    const gate = createGate({ limits: [user, { limiter: app }], clock });
    const ask = (key: string | undefined, wishes: Wishes) => {
      const caller = new Caller(wishes);
      const { weight } = caller;
      askGate(gate, caller, [key === undefined ? key : { key, weight: 1 }, { weight }]);
      return caller;
    };
    const holder = ask('ann', {});
    const late = ask(undefined, { weight: 2, queueTimeout: 12, onRejected: () => app.setLimit(1) });
    const request = ask('ann', { weight: 2, queueTimeout: 25 });
    clock.busy(12);
    holder.permit?.release();
    expect(late.rejection?.reason).toBe('timeout');
    expect(request.rejection).toBeUndefined();
    expect([request.answers, app.inflight]).toEqual([1, 1]);
  });
});
