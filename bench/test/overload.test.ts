import type { Outcome } from 'headgate/load';
import { describe, expect, it } from 'vitest';
import { arrivals } from '../src/overload/arrivals.ts';
import { bound } from '../src/overload/bound.ts';
import { figuresOf, recoveryTime } from '../src/overload/figures.ts';
import type { Attempt } from '../src/overload/load.ts';
import { beginningOf, phases, quickPlan, recoveryName } from '../src/overload/plan.ts';

const attempt = (at: number, outcome: Outcome = 'answered', took = 10): Attempt => ({
  phase: 'any',
  at,
  draw: 0,
  critical: false,
  outcome,
  took,
  late: 0,
});

describe('arrivals', () => {
  const two = [
    { name: 'calm', duration: 100, rate: 20 },
    { name: 'spike', duration: 100, rate: 80, critical: 0.25 },
  ];

  it('contain about the requested fraction of critical ones, by default none', () => {
    const all = arrivals(two, 1);
    const critical = all.filter((arrival) => arrival.critical);
    expect(critical.every(({ phase }) => phase === 'spike')).toBe(true);
    expect(critical.length / 8_000).toBeCloseTo(0.25, 1);
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
      attempt(1, 'rejected', 1),
      attempt(2, 'gaveUp', 1_000),
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
    const refused = every(10, 0, 400, (at) => attempt(at, 'rejected'));
    const slow = every(10, 400, 700, (at) => attempt(at, 'answered', 50));
    const fine = every(10, 700, 3_000, attempt);
    expect(recoveryTime([...refused, ...slow, ...fine], 0, 10)).toBe(700);
  });

  it('is Infinity if there is no recovered window of a whole second', () => {
    const late = every(10, 0, 1_500, (at) => attempt(at, 'gaveUp', 1_000));
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
