import { describe, expect, test } from 'vitest';
import { fullPlan, type Phase, phasesOf, quickPlan } from '../src/plan.ts';
import { schedule, seeded } from '../src/schedule.ts';

const phase = (from: number, to: number, rate: number): Phase => ({ name: 'calm', from, to, rate });

describe('schedule', () => {
  const due = schedule([phase(0, 50_000, 20), phase(50_000, 60_000, 200)], seeded(1));

  test('is ordered and within its phases', () => {
    expect(due).toEqual([...due].sort((a, b) => a - b));
    expect(due[0]).toBeGreaterThan(0);
    expect(due.at(-1)).toBeLessThan(60_000);
  });
  test('has the rate of each phase', () => {
    const calm = due.filter((at) => at < 50_000).length;
    // Five standard deviations of a Poisson count.
    expect(Math.abs(calm - 1_000)).toBeLessThan(5 * Math.sqrt(1_000));
    expect(Math.abs(due.length - calm - 2_000)).toBeLessThan(5 * Math.sqrt(2_000));
  });
  test('is irregular like independent arrivals', () => {
    const calm = due.filter((at) => at < 50_000);
    const gaps = calm.slice(1).map((at, index) => at - (calm[index] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    expect(Math.sqrt(variance) / mean).toBeGreaterThan(0.8);
  });
  test('is the same for the same seed, and differs for another', () => {
    const phases = [phase(0, 1_000, 50)];
    expect(schedule(phases, seeded(7))).toEqual(schedule(phases, seeded(7)));
    expect(schedule(phases, seeded(7))).not.toEqual(schedule(phases, seeded(8)));
  });
  test('is bounded, however fast the machine', () => {
    expect(() => schedule([phase(0, 60_000, 1e6)], seeded(1))).toThrow(RangeError);
  });
  test('is empty at a rate of zero', () => {
    expect(schedule([phase(0, 1_000, 0)], seeded(1))).toEqual([]);
  });
});

describe('phasesOf', () => {
  test.each([fullPlan, quickPlan])('goes calm, spike, calm without a gap', (plan) => {
    const [calm, spike, after] = phasesOf(plan, 40);
    expect([calm.from, calm.to, spike.to]).toEqual([0, spike.from, after.from]);
    expect(spike.rate).toBe(120);
    expect(after.rate).toBe(calm.rate);
    expect(calm.rate).toBeLessThan(40);
  });
});
