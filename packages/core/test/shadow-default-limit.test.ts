import { Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createGate, createLimiter, defaultLimit, type LimiterOptions } from '../src/index.ts';
import type { BasePermit } from '../src/semaphore/permit.ts';
import { askGate } from './ask-gate.ts';
import { FakeLoop } from './pacing/fake-loop.ts';

const heldBy = ({ permit }: Caller) => permit as BasePermit;

/** A default limit in shadow mode, on a loop that is idle; its adaptive limit stays at `limit`. */
function scene(limit: number, maxWait?: number, options: Partial<LimiterOptions> = {}) {
  const loop = new FakeLoop();
  const bounds = { min: limit, max: limit, initial: limit };
  const limiter = createLimiter({
    ...{ limit: defaultLimit({ ...bounds, maxWait }, loop), clock: loop },
    ...options,
  });
  limiter.shadow();
  /** Starts requests, one in each iteration of the loop. */
  const start = (count: number, wishes = {}) =>
    Array.from({ length: count }, () => {
      const caller = call(limiter, wishes);
      loop.rest(5);
      loop.poll();
      return caller;
    });
  return { loop, limiter, start };
}

it('all requests are admitted, and those that the limit would have rejected are counted and reported', () => {
  const { loop, limiter, start } = scene(2);
  const reports: unknown[] = [];
  limiter.observe({
    rejected: ({ rejection: { reason, waited }, shadow }) => reports.push([reason, waited, shadow]),
  });
  const callers = start(3);
  expect([callers.every(({ permit }) => permit !== undefined), limiter.inflight]).toEqual([
    true,
    3,
  ]);
  // The loop is busy: an idle loop would stop counting the two requests that make no progress.
  for (let waited = 0; waited < 1100; waited += 10) loop.busy(10);
  loop.advance(0);
  const { rejected, wouldReject, shadow, suggestion } = limiter.stats();
  expect([rejected.overloaded, wouldReject.overloaded]).toEqual([0, 1]);
  expect(shadow).toMatchObject({ admitted: 2, queued: 1, rejected: { overloaded: 1 } });
  expect(reports).toEqual([['overloaded', expect.any(Number), true]]);
  expect(suggestion).toBeUndefined();
});

it('the pace of the event loop would make requests wait', () => {
  const { loop, limiter } = scene(100);
  for (let count = 0; count < 3; count++) call(limiter);
  expect(limiter.stats().shadow).toMatchObject({ admitted: 1, queued: 2 });
  for (let turn = 0; turn < 20; turn++) {
    loop.rest(5);
    loop.poll();
  }
  expect(limiter.stats().shadow).toMatchObject({ admitted: 3, queued: 2, rejectedShare: 0 });
});

it('a request that would have started later would have ended later by the same time', () => {
  const { loop, limiter, start } = scene(1);
  const [first, second] = start(2) as [Caller, Caller];
  for (const { permit } of [first, second]) permit?.release();
  // The second one starts now, and takes 5 ms.
  expect(limiter.stats().shadow).toMatchObject({ admitted: 2, queued: 1 });
  const third = call(limiter);
  expect(limiter.stats().shadow).toMatchObject({ admitted: 2, queued: 2 });
  loop.rest(20);
  loop.poll();
  expect([limiter.stats().shadow?.admitted, third.rejection]).toEqual([3, undefined]);
});

describe('a request that only waits for its client', () => {
  it('does not count while its body arrives', () => {
    const { limiter, start } = scene(1, 0);
    const [upload] = start(1) as [Caller];
    heldBy(upload).pauseCounting();
    heldBy(upload).pauseCounting();
    const [next] = start(1) as [Caller];
    expect(limiter.stats().wouldReject.full).toBe(0);
    next.permit?.release();
    heldBy(upload).countAgain();
    start(1);
    expect(limiter.stats().wouldReject.full).toBe(1);
  });

  it('does not count while its response is sent', () => {
    const { limiter, start } = scene(1, 0);
    const [download] = start(1) as [Caller];
    heldBy(download).stopCounting();
    start(1);
    expect(limiter.stats().wouldReject.full).toBe(0);
    start(1);
    expect(limiter.stats().wouldReject.full).toBe(1);
  });

  it('does not count at a gate of several limits either', () => {
    const loop = new FakeLoop();
    const limits = [
      { name: 'user', limit: 3, perKey: true },
      { name: 'app', limit: defaultLimit({ min: 1, max: 1, maxWait: 0 }, loop) },
    ];
    const gate = createGate({ limits, mode: 'shadow', clock: loop });
    const ask = () => {
      const caller = new Caller();
      askGate(gate, caller, [{ key: 'a', weight: 1 }, { weight: 1 }]);
      loop.rest(5);
      loop.poll();
      return caller;
    };
    const wouldReject = () => gate.stats().limits.map((limit) => limit.wouldReject.full);
    const first = ask();
    heldBy(first).pauseCounting();
    heldBy(first).pauseCounting();
    const second = ask();
    expect(wouldReject()).toEqual([0, 0]);
    heldBy(first).countAgain();
    heldBy(first).countAgain();
    heldBy(second).stopCounting();
    ask();
    expect(wouldReject()).toEqual([0, 1]);
    for (const { permit } of [first, second]) permit?.release();
    ask();
    expect(wouldReject()).toEqual([0, 1]);
    expect(gate.stats()).toMatchObject({
      ...{ admitted: 4, suggestion: undefined, limits: [{ suggestion: undefined }, {}] },
      shadow: { admitted: 3, rejected: { full: 1 } },
    });
  });
});

it('a value that an operator sets applies in the simulation', () => {
  const { limiter, start } = scene(5, 0);
  start(2);
  expect(limiter.stats().wouldReject.full).toBe(0);
  limiter.setLimit(1);
  start(2);
  expect([limiter.stats().wouldReject.full, limiter.stats().shadow?.admitted]).toEqual([1, 1]);
  limiter.setLimit('adaptive');
  start(2);
  expect(limiter.stats().shadow?.admitted).toBe(2);
});

it('timers of the simulation do not keep the process alive', () => {
  let alive = 0;
  const timers = new VirtualClock();
  const clock = {
    now: () => timers.now(),
    setTimeout: (callback: () => void, delay: number) => {
      alive++;
      return Object.assign(timers.setTimeout(callback, delay) as object, { unref: () => alive-- });
    },
    clearTimeout: (timer: unknown) => timers.clearTimeout(timer),
  };
  const { limiter } = scene(1, undefined, { clock });
  for (let count = 0; count < 2; count++) call(limiter);
  expect(limiter.stats().shadow?.queued).toBe(1);
  expect([timers.armed > 0, alive]).toEqual([true, 0]);
});

it('ends with enforce(), which then rejects what it has counted before', () => {
  const { limiter, start } = scene(1, 0);
  const [first, second] = start(2) as [Caller, Caller];
  expect(limiter.stats().wouldReject.full).toBe(1);
  limiter.enforce();
  for (const { permit } of [first, second]) permit?.release();
  expect(start(2).map(({ rejection }) => rejection?.reason)).toEqual([undefined, 'full']);
  expect(limiter.stats()).toMatchObject({ rejected: { full: 1 }, shadow: undefined });
});
