import { describe, expect, it } from 'vitest';
import { arrivals } from '../src/overload/arrivals.ts';
import { bound } from '../src/overload/bound.ts';
import type { Attempt, Result } from '../src/overload/client.ts';
import { figuresOf, recoveryTime, slope } from '../src/overload/figures.ts';
import { beginningOf, phases, quickPlan, recoveryName } from '../src/overload/plan.ts';

const attempt = (at: number, result: Result = 'answered', took = 10): Attempt => ({
  phase: 'any',
  at,
  critical: false,
  result,
  took,
  lateness: 0,
});

describe('slope', () => {
  it('is the rate, also for answers in batches', () => {
    expect(slope([0, 10, 20, 30])).toBeCloseTo(0.1);
    const batches = Array.from({ length: 400 }, (_, i) => Math.floor(i / 10) * 50);
    expect(slope(batches)).toBeCloseTo(0.2, 3);
  });
});

describe('arrivals', () => {
  const two = [
    { name: 'calm', duration: 100, rate: 20 },
    { name: 'spike', duration: 100, rate: 80, critical: 0.25 },
  ];

  it('are ordered by phase, at about the rate, and irregular', () => {
    const all = arrivals(two, 1);
    const times = all.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    const calm = all.filter(({ phase }) => phase === 'calm');
    const spike = all.filter(({ phase }) => phase === 'spike');
    // Four standard deviations of a Poisson count.
    expect(Math.abs(calm.length - 2_000)).toBeLessThan(180);
    expect(Math.abs(spike.length - 8_000)).toBeLessThan(360);
    expect(calm.every(({ at }) => at < 100_000)).toBe(true);
    expect(spike.every(({ at }) => at >= 100_000)).toBe(true);
    const gaps = spike.slice(1).map(({ at }, i) => at - (spike[i]?.at ?? 0));
    // Exponential: a part of 1/e is longer than the mean.
    expect(gaps.filter((gap) => gap > 12.5).length / gaps.length).toBeCloseTo(Math.exp(-1), 1);
  });

  it('contain about the requested fraction of critical ones, by default none', () => {
    const all = arrivals(two, 1);
    const critical = all.filter((arrival) => arrival.critical);
    expect(critical.every(({ phase }) => phase === 'spike')).toBe(true);
    expect(critical.length / 8_000).toBeCloseTo(0.25, 1);
  });

  it('are the same for the same seed, and differ for another', () => {
    expect(arrivals(two, 3)).toEqual(arrivals(two, 3));
    expect(arrivals(two, 3)).not.toEqual(arrivals(two, 4));
  });
});

describe('bound', () => {
  it('subtracts the cost of rejections if the main thread is the bottleneck', () => {
    const rates = { capacity: 100, offered: 1_000 };
    const most = bound('cpu', rates, 0.1);
    expect(most).toBeCloseTo(100 * (1 - (1_000 - most) * 0.0001));
    expect(most).toBeLessThan(100);
    expect(bound('cpu', rates, 0)).toBe(100);
    expect(bound('cpu', rates, 2)).toBe(0);
  });

  it('is the capacity if the main thread is no bottleneck, and never more than the offered load', () => {
    expect(bound('database', { capacity: 200, offered: 2_000 }, 0.1)).toBe(200);
    expect(bound('cpu', { capacity: 100, offered: 50 }, 0.1)).toBe(50);
    expect(bound('timer', { capacity: 100, offered: 200 }, 0.1)).toBeLessThan(100);
    expect(bound('threads', { capacity: 40, offered: 20 }, 0.1)).toBe(20);
  });
});

describe('figuresOf', () => {
  it('counts outcomes per second, and measures only answered requests', () => {
    const attempts = [
      attempt(0),
      attempt(1, 'refused', 1),
      attempt(2, 'late', 1_000),
      attempt(3, 'answered', 30),
    ];
    expect(figuresOf(attempts, 2)).toEqual({
      offered: 2,
      answered: 1,
      refused: 0.5,
      late: 0.5,
      failed: 0,
      p50: 10,
      p99: 30,
    });
  });
});

describe('recoveryTime', () => {
  const every = (step: number, from: number, to: number, make: (at: number) => Attempt) =>
    Array.from({ length: (to - from) / step }, (_, i) => make(from + i * step));

  it('is 0 if there was no disturbance', () => {
    expect(recoveryTime(every(10, 5_000, 8_000, attempt), 5_000, 10)).toBe(0);
  });

  it('ends when all requests are answered again, as fast as before', () => {
    const refused = every(10, 0, 400, (at) => attempt(at, 'refused'));
    const slow = every(10, 400, 700, (at) => attempt(at, 'answered', 50));
    const fine = every(10, 700, 3_000, attempt);
    expect(recoveryTime([...refused, ...slow, ...fine], 0, 10)).toBe(700);
  });

  it('is Infinity if there is no recovered window of a whole second', () => {
    const late = every(10, 0, 1_500, (at) => attempt(at, 'late', 1_000));
    expect(recoveryTime([...late, ...every(10, 1_500, 2_000, attempt)], 0, 10)).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe('phases', () => {
  it('offer multiples of the capacity, and return to normal right after the highest', () => {
    const all = phases(quickPlan, 100);
    const names = all.map(({ name }) => name);
    expect(names.indexOf(recoveryName)).toBe(names.indexOf('5 ×') + 1);
    expect(all.find(({ name }) => name === '5 ×')?.rate).toBe(500);
    expect(beginningOf('5 ×', all)).toBe(2_000);
  });

  it('contain critical requests of less than half of the capacity', () => {
    const mixed = phases(quickPlan, 100).at(-1);
    expect((mixed?.rate ?? 0) * (mixed?.critical ?? 1)).toBeCloseTo(45);
  });
});
