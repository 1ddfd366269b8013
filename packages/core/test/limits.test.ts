import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it, vi } from 'vitest';
import {
  adaptive,
  aimd,
  createGate,
  createLimiter,
  gradient,
  type Limit,
  type LimitFactory,
  type Sample,
  vegas,
} from '../src/index.ts';
import { askGate } from './ask-gate.ts';
import { Caller, call } from './caller.ts';

const half = () => 0.5;

/** Feeds samples to a limit, which is fully used unless the sample says otherwise. */
function feed(limit: Limit, samples: Partial<Sample>[]): number {
  for (const sample of samples) {
    const inflight = limit.limit;
    limit.sample({ rtt: 100, inflight, outcome: 'ok', now: 0, kind: undefined, ...sample });
  }
  return limit.limit;
}

const times = (count: number, sample: Partial<Sample> = {}) =>
  Array<Partial<Sample>>(count).fill(sample);

describe('aimd', () => {
  it('grows by one per round trip while it is used', () => {
    const limit = aimd({ initial: 10 }).create(half);
    expect(feed(limit, times(10))).toBeCloseTo(11, 0);
    expect(feed(limit, times(50, { inflight: 5 }))).toBeCloseTo(11, 0);
  });

  it('falls on a drop, once for all work admitted before', () => {
    const limit = aimd({ initial: 100 }).create(half);
    const drop = (now: number) => ({ outcome: 'dropped' as const, now, rtt: 100 });
    expect(feed(limit, [drop(1000), drop(1050), drop(1099)])).toBe(90);
    expect(feed(limit, [drop(1100)])).toBe(81);
  });

  it('stays within its bounds', () => {
    const limit = aimd({ min: 8, max: 11, initial: 10, backoff: 0.5 }).create(half);
    expect(feed(limit, times(100))).toBe(11);
    expect(feed(limit, [{ outcome: 'dropped', now: 500 }])).toBe(8);
  });
});

describe('vegas', () => {
  it('grows while no requests queue, and falls when too many do', () => {
    const limit = vegas({ initial: 20 }).create(half);
    expect(feed(limit, times(3))).toBeGreaterThan(20);
    const grown = limit.limit;
    expect(feed(limit, times(3, { rtt: 400 }))).toBe(grown - 3);
    expect(feed(limit, [{ outcome: 'dropped' }])).toBe(grown - 4);
  });

  it('grows slightly when a few requests queue, and stays when some do', () => {
    const limit = vegas({ initial: 10 }).create(half);
    feed(limit, [{ rtt: 80 }]);
    expect(feed(limit, [{ rtt: 100 }])).toBe(11);
    expect(feed(limit, [{ rtt: 120 }])).toBe(11);
  });

  it('does not grow while less than half of it is used', () => {
    const limit = vegas({ initial: 20 }).create(half);
    expect(feed(limit, times(50, { inflight: 4 }))).toBe(20);
  });

  it('tolerates work that takes no time', () => {
    const limit = vegas({ initial: 20 }).create(half);
    expect(feed(limit, times(10, { rtt: 0 }))).toBe(20);
  });

  it('measures the shortest round trip again periodically', () => {
    const limit = vegas({ initial: 20, max: 20 }).create(half);
    feed(limit, times(1));
    expect(feed(limit, times(50, { rtt: 400 }))).toBeLessThan(20);
    // By then 400 ms is the shortest round trip.
    expect(feed(limit, times(3000, { rtt: 400 }))).toBe(20);
  });
});

describe('gradient', () => {
  it('measures the shortest round trip at its lower bound, and again after five windows there', () => {
    const limit = gradient({ min: 3, initial: 20 }).create(half);
    expect(feed(limit, times(49))).toBe(3);
    expect(feed(limit, times(1))).toBe(20);
    expect(feed(limit, times(50 * 30, { rtt: 1000 }))).toBeGreaterThan(3);
  });

  it('grows while the round trip is the shortest, and ignores drops', () => {
    const limit = gradient({ initial: 20, max: 40 }).create(half);
    feed(limit, times(50));
    expect(feed(limit, times(500))).toBe(40);
    expect(feed(limit, times(500, { outcome: 'dropped' }))).toBe(40);
  });

  it('tolerates work that takes no time', () => {
    const limit = gradient({ initial: 20, max: 40 }).create(half);
    expect(feed(limit, times(500, { rtt: 0 }))).toBe(40);
  });
});

it.each<[string, (options?: object) => LimitFactory]>([
  ['adaptive', adaptive],
  ['aimd', aimd],
  ['vegas', vegas],
  ['gradient', gradient],
])('%s throws for invalid options', (_, make) => {
  const wrong: [object, string][] = [
    [{ min: 0 }, 'min'],
    [{ min: 1.5 }, 'min'],
    [{ max: Number.NaN }, 'max'],
    [{ min: 10, max: 5 }, 'max'],
    [{ min: 10, max: 20, initial: 5 }, 'initial'],
    [{ max: 20, initial: 25 }, 'initial'],
    [{ mxa: 5 }, 'mxa'],
  ];
  for (const [options, option] of wrong) {
    const code = expect.stringMatching(/^ERR_HEADGATE_(UNKNOWN_)?OPTION$/);
    expect(() => make(options)).toThrow(expect.objectContaining({ code, option }));
  }
  expect(make({ min: 2000 }).create(half).limit).toBe(2000);
});

it.each([
  [() => aimd({ backoff: 1 }), 'backoff'],
  [() => gradient({ buffer: 0 }), 'buffer'],
  [() => createLimiter({ limit: adaptive(), perKey: true }), 'limit'],
  [() => createLimiter({ limit: adaptive as never }), 'limit'],
  [() => createLimiter({ limit: adaptive() }).setLimit(5), 'limit'],
])('throws for %s', (make, option) => {
  const code = 'ERR_HEADGATE_OPTION';
  expect(make).toThrow(expect.objectContaining({ code, option }));
});

/** A limit controlled by the test that records its samples. */
function controlled(start: number) {
  const samples: Sample[] = [];
  const limit = { limit: start, sample: (sample: Sample) => void samples.push(sample) };
  return { samples, limit, factory: { create: () => limit } };
}

it('a limiter follows its limit, admits the waiters that fit, and reports the change', () => {
  const { limit, factory } = controlled(1.9);
  const resized: number[] = [];
  const observer = { resized: (event: { limit: number }) => void resized.push(event.limit) };
  const limiter = createLimiter({ limit: factory, queueLimit: 9, observer });
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
  const limiter = createLimiter({ limit: controlled(2).factory, observer });
  limiter.tryAcquire()?.release();
  expect(observer.resized).not.toHaveBeenCalled();
});

it('a limit gets the duration, inflight and kind of finished work, except ignored work', () => {
  const { samples, factory } = controlled(9);
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: factory, clock });
  const [one, two, three] = [call(limiter), call(limiter, { weight: 3 }), call(limiter)];
  if (one.permit) one.permit.kind = 'export';
  clock.advance(40);
  one.permit?.release('dropped');
  two.permit?.release('ignored');
  clock.advance(10);
  three.permit?.release();
  const now = clock.now();
  expect(samples).toEqual([
    { rtt: 40, inflight: 5, outcome: 'dropped', now: now - 10, kind: 'export' },
    { rtt: 50, inflight: 1, outcome: 'ok', now, kind: undefined },
  ]);
});

it('adaptive() grows each second while work that never finishes holds all permits', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: adaptive({ min: 8, initial: 8 }), clock });
  for (let index = 0; index < 50; index++) call(limiter).permit?.release();
  const streams = Array.from({ length: 8 }, () => call(limiter));
  const limits: number[] = [];
  for (let second = 0; second < 4; second++) {
    call(limiter);
    limits.push(limiter.limit);
    while (limiter.inflight < limiter.limit) call(limiter);
    clock.advance(1000);
  }
  expect(streams.every(({ permit }) => permit !== undefined)).toBe(true);
  expect(limits).toEqual([8, 16, 24, 32]);
});

it('adaptive() does not grow while slow work finishes', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: adaptive({ min: 2, initial: 2 }), clock });
  for (let index = 0; index < 8; index++) {
    const caller = call(limiter);
    clock.advance(2000);
    caller.permit?.release('ignored');
    const other = call(limiter);
    clock.advance(2000);
    other.permit?.release();
    const held = [call(limiter), call(limiter), call(limiter)];
    for (const { permit } of held) permit?.release('ignored');
  }
  expect(limiter.limit).toBe(2);
});

it('in a gate, work starts at the last limit, and requests queued there do not count as work', () => {
  const { samples, factory } = controlled(9);
  const clock = new VirtualClock();
  const limits = [
    { name: 'route', limit: factory, optional: true },
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
  expect(samples.map(({ rtt, inflight, kind }) => [rtt, inflight, kind])).toEqual([
    [100, 1, 'a'],
    [30, 1, undefined],
  ]);
  expect(gate.stats().limits.map(({ inflight }) => inflight)).toEqual([0, 0]);
});

it('a request that waits at two limits in turn does not count as work at either', () => {
  const { samples, factory } = controlled(9);
  const clock = new VirtualClock();
  const limits = [
    { name: 'route', limit: factory, optional: true },
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
  expect(samples.map(({ rtt, inflight }) => [rtt, inflight])).toEqual([
    [10, 1],
    [10, 1],
    [10, 1],
  ]);
});

it('adaptive() bounds the number of kinds of work it tracks', () => {
  const limit = adaptive({ initial: 100, max: 100 }).create(half);
  let now = 0;
  for (let count = 0; count < 5000; count++) {
    now += 20;
    const sample = { rtt: 100 + (count % 7), inflight: 100, outcome: 'ok' as const, now };
    limit.sample({ ...sample, kind: `invented ${count}` });
  }
  expect(limit.limit).toBe(100);
});

it('each limiter has its own limit', () => {
  const factory = aimd({ initial: 2 });
  const [one, other] = [createLimiter({ limit: factory }), createLimiter({ limit: factory })];
  const permits = [one.tryAcquire(), one.tryAcquire()];
  for (const permit of permits) permit?.release('dropped');
  expect([one.limit, other.limit]).toEqual([1, 2]);
});

it('adaptive() stops doubling after a drop', () => {
  const limit = adaptive({ initial: 16 }).create(half);
  const sample = { rtt: 10, kind: undefined };
  const calm = (from: number) => {
    for (let now = from; now < from + 500; now++) {
      limit.sample({ ...sample, inflight: Math.floor(limit.limit), outcome: 'ok', now });
    }
  };
  limit.sample({ ...sample, inflight: 16, outcome: 'dropped', now: 100 });
  const dropped = limit.limit;
  for (let now = 200; limit.limit === dropped && now < 20_000; now += 500) calm(now);
  expect(limit.limit).toBeGreaterThan(dropped);
  limit.sample({ ...sample, inflight: 16, outcome: 'dropped', now: 30_000 });
  expect(limit.limit).toBeLessThan(60);
});

describe('the baseline in stats()', () => {
  const of = (limit: number | LimitFactory) => createLimiter({ limit }).stats().baseline;

  it('is undefined for a number, for an algorithm without one, and while it is not known', () => {
    for (const limit of [5, aimd(), adaptive(), gradient(), vegas()])
      expect(of(limit)).toBeUndefined();
  });

  it('is the mean time that work takes at low load, weighted by the samples of its kinds', () => {
    const limit = adaptive({ min: 8, initial: 8 }).create(half);
    for (let now = 0; now < 6000; now += 10) {
      const sample = { inflight: 1, outcome: 'ok' as const, now };
      limit.sample({ ...sample, rtt: 10, kind: 'fast' });
      limit.sample({ ...sample, rtt: 30, kind: 'slow' });
    }
    expect(limit.baseline).toBeCloseTo(20, 0);
  });

  it('is the shortest round trip of gradient() and vegas()', () => {
    const [one, other] = [gradient().create(half), vegas().create(half)];
    feed(one, times(50, { rtt: 25 }));
    feed(other, [{ rtt: 40 }, { rtt: 30 }, { rtt: 35 }]);
    expect([one.baseline, other.baseline]).toEqual([25, 30]);
  });

  it('is that of an algorithm of the app, unless it is not a number', () => {
    const sample = () => {};
    const own = (baseline: unknown) =>
      of({ create: () => ({ limit: 1, sample, baseline }) as Limit });
    expect([own(12), own('x'), own(Number.NaN)]).toEqual([12, undefined, undefined]);
  });
});
