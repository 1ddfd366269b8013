import { Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import {
  adaptive,
  createGate,
  createLimiter,
  type LimiterOptions,
  type LocalLimiter,
  type Sample,
} from '../src/index.ts';
import { askGate } from './ask-gate.ts';

function shadowed(options: Partial<LimiterOptions> = {}) {
  const clock = new VirtualClock({ random: () => 0 });
  const common = { limit: 1, queueLimit: 1, queueTimeout: 100, clock };
  const limiter = createLimiter({ ...common, ...options });
  limiter.shadow();
  /** A request of this duration. */
  const work = (duration: number, wishes = {}) => {
    const { permit } = call(limiter, wishes);
    clock.setTimeout(() => permit?.release(), duration);
  };
  return { clock, limiter, work };
}

const shadowOf = (limiter: LocalLimiter) => limiter.stats().shadow;

it('a simulated permit is held for as long as the real one, from its simulated admission on', () => {
  const { clock, limiter, work } = shadowed({ queueLimit: 2 });
  for (let count = 0; count < 3; count++) work(40);
  clock.advance(40);
  expect([limiter.inflight, shadowOf(limiter)?.admitted]).toEqual([0, 2]);
  clock.advance(39);
  expect(shadowOf(limiter)?.admitted).toBe(2);
  clock.advance(1);
  expect(shadowOf(limiter)).toMatchObject({
    ...{ admitted: 3, queued: 2, rejectedShare: 0, waitP50: 41 },
    rejected: { full: 0, timeout: 0 },
  });
});

it('a simulated timeout is reported, with its wait, when statistics are next read', () => {
  const { clock, limiter, work } = shadowed();
  const waits: number[] = [];
  limiter.observe({ rejected: ({ rejection }) => void waits.push(rejection.waited) });
  work(500);
  work(500);
  clock.advance(400);
  expect([waits, clock.armed]).toEqual([[], 2]);
  expect(limiter.stats()).toMatchObject({ rejected: { timeout: 0 }, wouldReject: { timeout: 1 } });
  expect(waits).toEqual([100]);
});

it('the suggestion compares the limit with a quarter, half, two and four times of it', () => {
  const { limiter, clock, work } = shadowed({ limit: 4, queueLimit: 0 });
  // Six requests at once, and then one after the other.
  for (let count = 0; count < 6; count++) work(10);
  clock.advance(10);
  for (let count = 0; count < 54; count++) {
    work(10);
    clock.advance(10);
  }
  expect(limiter.stats().suggestion?.limits).toEqual([
    { limit: 1, rejectedShare: 5 / 60, waitP50: 0, waitP99: 0, inflightPeak: 1 },
    { limit: 2, rejectedShare: 4 / 60, waitP50: 0, waitP99: 0, inflightPeak: 2 },
    { limit: 4, rejectedShare: 2 / 60, waitP50: 0, waitP99: 0, inflightPeak: 4 },
    { limit: 8, rejectedShare: 0, waitP50: 0, waitP99: 0, inflightPeak: 6 },
    { limit: 16, rejectedShare: 0, waitP50: 0, waitP99: 0, inflightPeak: 6 },
  ]);
});

it('compares with no limit below 1', () => {
  const { limiter } = shadowed();
  expect(limiter.stats().suggestion?.limits.map(({ limit }) => limit)).toEqual([1, 2, 4]);
});

it('tryAcquire() is admitted in the simulation only if there is room, and never rejected', () => {
  const { limiter } = shadowed();
  for (let count = 0; count < 3; count++) limiter.tryAcquire();
  const { shadow, wouldReject } = limiter.stats();
  expect(shadow).toMatchObject({ admitted: 1, queued: 0, rejectedShare: 0 });
  expect(wouldReject.full).toBe(0);
});

it('setLimit() restarts the simulation with the new limit', () => {
  const { limiter } = shadowed({ queueLimit: 0 });
  for (let count = 0; count < 3; count++) call(limiter);
  limiter.setLimit(5);
  expect(shadowOf(limiter)).toMatchObject({ admitted: 0, rejected: { full: 0 } });
  expect(limiter.stats()).toMatchObject({ admitted: 3, wouldReject: { full: 2 } });
  for (let count = 0; count < 6; count++) call(limiter);
  expect(shadowOf(limiter)).toMatchObject({ admitted: 5, rejected: { full: 1 } });
});

it('the simulation ignores permits admitted before shadow mode, or in an earlier one', () => {
  const { limiter } = shadowed({ queueLimit: 0 });
  const permit = call(limiter).permit;
  limiter.enforce();
  limiter.shadow();
  permit?.release();
  call(limiter);
  expect(shadowOf(limiter)).toMatchObject({ admitted: 1, rejected: { full: 0 } });
});

it('a simulated limit replaces the limit of each key', () => {
  const { limiter } = shadowed({ perKey: true, limit: 3, queueLimit: 0 });
  for (const key of ['a', 'a', 'b']) call(limiter, { key, limit: 1 });
  const { shadow, suggestion } = limiter.stats();
  expect(shadow).toMatchObject({ admitted: 2, rejected: { full: 1 } });
  // The answers to all keys say nothing about one.
  expect(suggestion?.measured).toBeUndefined();
  expect(suggestion?.limits).toMatchObject([
    { limit: 1, inflightPeak: 1 },
    { limit: 2, rejectedShare: 0, inflightPeak: 2 },
    { limit: 3 },
    { limit: 6 },
    { limit: 12 },
  ]);
});

it('an adaptive limit adapts to the simulation, and one that is held keeps its value', () => {
  const limit = {
    create: () => ({
      limit: 2,
      sample({ outcome }: { outcome: string }) {
        if (outcome === 'dropped') this.limit = 1;
      },
    }),
  };
  const { limiter } = shadowed({ limit, queueLimit: 0 });
  const [first, second] = [call(limiter), call(limiter)];
  first.permit?.release('dropped');
  second.permit?.release();
  for (let count = 0; count < 2; count++) call(limiter);
  const { shadow, suggestion } = limiter.stats();
  expect(shadow).toMatchObject({ admitted: 3, rejected: { full: 1 } });
  expect(suggestion?.limits).toEqual([]);
  limiter.setLimit(3);
  for (let count = 0; count < 4; count++) call(limiter);
  expect(shadowOf(limiter)).toMatchObject({ admitted: 3, rejected: { full: 1 } });
  expect(limiter.stats().suggestion?.limits).toHaveLength(5);
  limiter.setLimit('adaptive');
  expect(limiter.stats().suggestion?.limits).toEqual([]);
});

it('the kind of work is passed to the simulated adaptive limit', () => {
  const kinds: (string | undefined)[] = [];
  const limit = {
    create: () => ({
      limit: 2,
      sample: ({ kind }: { kind?: string | undefined }) => void kinds.push(kind),
    }),
  };
  const { limiter } = shadowed({ limit });
  const { permit } = call(limiter);
  if (permit !== undefined) permit.kind = 'GET /';
  permit?.release();
  // The real limit, and that of the simulation.
  expect(kinds).toEqual(['GET /', 'GET /']);
});

it('a simulation grants at once, even while another limit grants', () => {
  const { limiter } = shadowed({ queueLimit: 5 });
  const outer = createLimiter({ limit: 1, queueLimit: 1 });
  const held = outer.tryAcquire();
  call(outer, {
    onGranted: () => {
      const permits = [call(limiter).permit, call(limiter).permit];
      for (const permit of permits) permit?.release();
    },
  });
  held?.release();
  expect(shadowOf(limiter)?.admitted).toBe(2);
});

it('an observer may use the limiter and read its statistics during a report', () => {
  const { limiter } = shadowed({ queueLimit: 0 });
  let seen: unknown;
  const stop = limiter.observe({
    rejected: () => {
      stop();
      seen = [call(limiter).permit !== undefined, limiter.stats().wouldReject.full];
    },
  });
  call(limiter);
  call(limiter);
  expect(seen).toEqual([true, 2]);
  expect(shadowOf(limiter)).toMatchObject({ admitted: 1, rejected: { full: 2 } });
});

it('an adaptive limit of the simulation judges the first byte, too', () => {
  const rtts: number[] = [];
  const limit = { create: () => ({ limit: 2, sample: ({ rtt }: Sample) => void rtts.push(rtt) }) };
  const { clock, limiter } = shadowed({ limit });
  const { permit } = call(limiter);
  clock.advance(20);
  permit?.mark();
  clock.advance(80);
  permit?.release();
  // The real limit, and that of the simulation.
  expect(rtts).toEqual([20, 20]);
});

describe('a gate of several limits', () => {
  function gateOf(mode: 'shadow' | 'enforce' = 'shadow') {
    const clock = new VirtualClock();
    const limits = [
      { name: 'user', limit: 1, perKey: true },
      { name: 'pages', limit: adaptive({ min: 2, max: 2 }), optional: true },
      { name: 'app', limit: 2 },
    ];
    const gate = createGate({ limits, mode, clock, queueLimit: 1, queueTimeout: 50 });
    const ask = (key: string | undefined, pages = false) => {
      const caller = new Caller();
      const user = key === undefined ? undefined : { key, weight: 1 };
      askGate(gate, caller, [user, pages ? { weight: 1 } : undefined, { weight: 1 }]);
      return caller;
    };
    return { clock, gate, ask, limiters: Object.values(gate.limiters) };
  }

  it('simulates the limits together, and other values of each limit separately', () => {
    const { gate, ask } = gateOf();
    ask('a');
    ask('a', true);
    ask('b');
    ask('c');
    ask(undefined);
    const { shadow, suggestion, limits, wouldReject } = gate.stats();
    // The second request of `a` is queued, `b` is admitted, and for the others the queue is full.
    expect(shadow).toMatchObject({ admitted: 2, queued: 1, rejected: { full: 2 } });
    expect([suggestion, wouldReject.full]).toEqual([undefined, 2]);
    expect(limits.map((each) => each.wouldReject.full)).toEqual([0, 0, 2]);
    const tables = limits.map((each) => each.suggestion?.limits.map(({ limit }) => limit));
    expect(tables).toEqual([[1, 2, 4], [], [1, 2, 4, 8]]);
    expect(limits[0]?.suggestion?.limits[0]).toMatchObject({ rejectedShare: 0, inflightPeak: 1 });
  });

  it('simulates only the limits in shadow mode, from the time of the admission', () => {
    const { clock, gate, ask, limiters } = gateOf('enforce');
    const [user, , app] = limiters;
    expect(gate.stats().shadow).toBeUndefined();
    app?.shadow();
    const [first, second] = [ask('a'), ask('a')];
    expect(second.answers).toBe(0);
    expect(gate.stats().shadow).toMatchObject({ admitted: 1 });
    clock.advance(20);
    first.permit?.release();
    expect(second.permit).toBeDefined();
    expect(gate.stats().shadow).toMatchObject({ admitted: 2, queued: 0 });
    // These do not change what is simulated.
    for (const operation of ['pause', 'resume'] as const) app?.[operation]();
    expect(gate.stats().shadow).toMatchObject({ admitted: 2 });
    user?.shadow();
    expect(gate.stats().shadow).toMatchObject({ admitted: 0 });
    for (const limiter of [user, app]) limiter?.enforce();
    expect(gate.stats().shadow).toBeUndefined();
  });

  it('a single limit has its suggestion at the top as well', () => {
    const gate = createGate({ limits: [{ name: 'user', limit: 1, perKey: true }], mode: 'shadow' });
    askGate(gate, new Caller(), [{ key: 'a', weight: 1 }]);
    const { suggestion, limits } = gate.stats();
    expect(suggestion).toEqual(limits[0]?.suggestion);
    expect(suggestion?.limits[0]).toMatchObject({ limit: 1, rejectedShare: 0 });
  });
});
