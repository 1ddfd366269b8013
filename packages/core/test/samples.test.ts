import { Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it, vi } from 'vitest';
import { byPriority, createGate, createLimiter } from '../src/index.ts';
import { type Amounts, askGate } from './ask-gate.ts';
import { ScriptedLimit } from './scripted-limit.ts';

it('an adaptive limit updates the limiter, which admits the waiters that fit and reports the change', () => {
  const limit = new ScriptedLimit(1.9);
  const resized: number[] = [];
  const observer = { resized: (event: { limit: number }) => void resized.push(event.limit) };
  const limiter = createLimiter({ limit, queueLimit: 9 });
  limiter.observe(observer);
  expect([limiter.limit, limiter.isAdaptive, createLimiter({ limit: 1 }).isAdaptive]).toEqual([
    1,
    true,
    false,
  ]);
  const callers = [call(limiter), call(limiter), call(limiter), call(limiter)];
  limit.limit = 3.5;
  callers[0]?.permit?.release();
  expect(callers.map(({ answers }) => answers)).toEqual([1, 1, 1, 1]);
  limit.limit = 0.2;
  callers[1]?.permit?.release();
  expect([limiter.stats().limit, resized, limiter.inflight]).toEqual([1, [3, 1], 2]);
});

it('an unchanged limit is not reported', () => {
  const observer = { resized: vi.fn() };
  const limiter = createLimiter({ limit: new ScriptedLimit(2) });
  limiter.observe(observer);
  limiter.tryAcquire()?.release();
  expect(observer.resized).not.toHaveBeenCalled();
});

it('an adaptive limit receives the duration, inflight, weight and kind of finished work, except ignored work', () => {
  const limit = new ScriptedLimit(9);
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit, clock });
  const [one, two, three] = [call(limiter), call(limiter, { weight: 3 }), call(limiter)];
  if (one.permit) one.permit.kind = 'export';
  clock.advance(40);
  one.permit?.release('dropped');
  two.permit?.release('ignored');
  clock.advance(10);
  three.permit?.release();
  const now = clock.now();
  expect(limit.samples).toEqual([
    { rtt: 40, inflight: 5, weight: 1, outcome: 'dropped', now: now - 10, kind: 'export' },
    { rtt: 50, inflight: 1, weight: 1, outcome: 'ok', now, kind: undefined },
  ]);
});

it('in a gate, work starts at the last limit, so requests queued there do not count as work', () => {
  const limit = new ScriptedLimit(9);
  const clock = new VirtualClock();
  const limits = [
    { name: 'route', limit, optional: true },
    { name: 'app', limit: 1 },
  ];
  const gate = createGate({ limits, queueLimit: 9, clock });
  const ask = () => {
    const caller = new Caller();
    askGate(gate, caller, [{ weight: 1 }, { weight: 1 }]);
    return caller;
  };
  const [first, second, third] = [ask(), ask(), ask()];
  clock.advance(100);
  if (first.permit) first.permit.kind = 'a';
  first.permit?.release();
  clock.advance(30);
  gate.withdraw(third);
  second.permit?.release();
  expect(limit.samples.map(({ rtt, inflight, kind }) => [rtt, inflight, kind])).toEqual([
    [100, 1, 'a'],
    [30, 1, undefined],
  ]);
  expect(gate.stats().limits.map(({ inflight }) => inflight)).toEqual([0, 0]);
});

it('a request that waits at two limits in turn counts as work at neither', () => {
  const limit = new ScriptedLimit(9);
  const clock = new VirtualClock();
  const limits = [
    { name: 'route', limit, optional: true },
    { name: 'tenant', limit: 1, optional: true },
    { name: 'app', limit: 1 },
  ];
  const gate = createGate({ limits, queueLimit: 9, clock });
  const ask = (tenant: boolean) => {
    const caller = new Caller();
    const weight = 1;
    askGate(gate, caller, [{ weight }, tenant ? { weight } : undefined, { weight }]);
    return caller;
  };
  const [one, two, three] = [ask(true), ask(true), ask(false)];
  clock.advance(10);
  one.permit?.release();
  clock.advance(10);
  two.permit?.release();
  clock.advance(10);
  three.permit?.release();
  expect(limit.samples.map(({ rtt, inflight }) => [rtt, inflight])).toEqual([
    [10, 1],
    [10, 1],
    [10, 1],
  ]);
});

it('a permit released by maxHold while its request is queued is no longer tracked', () => {
  const clock = new VirtualClock();
  const settings = { limit: 1, queueLimit: 9, queueTimeout: Infinity, clock };
  const limit = new ScriptedLimit(1);
  const moving = { ...settings, limit, name: 'a', maxHold: 100 };
  const a = createLimiter({ ...moving, order: byPriority() });
  a.observe({ leaked() {} });
  const [b, c] = ['b', 'c'].map((name) => createLimiter({ ...settings, name }));
  if (b === undefined || c === undefined) throw new Error('no limiters');
  const limits = [{ limiter: a }, { limiter: b }, { limiter: c }];
  const gate = createGate({ limits, queueLimit: 9, queueTimeout: 200, clock });
  const each: Amounts = [{ weight: 1 }, { weight: 1 }, { weight: 1 }];
  for (let round = 0; round < 3; round++) {
    const [atB, atC] = [b.tryAcquire(), c.tryAcquire()];
    askGate(gate, new Caller(), each);
    clock.advance(150);
    atB?.release();
    clock.advance(100);
    atC?.release();
  }
  limit.samples.length = 0;
  a.tryAcquire()?.release();
  // The weight in flight excludes no weight of requests that have already left.
  expect(limit.samples.map(({ inflight }) => inflight)).toEqual([1]);
});
