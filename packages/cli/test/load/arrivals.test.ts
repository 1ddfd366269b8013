import { describe, expect, test } from 'vitest';
import { arrivals } from '../../src/load/index.ts';

const even = (duration: number, rate: number, name = 'even') => ({ name, duration, rate });

describe('arrivals', () => {
  const all = arrivals([even(50_000, 20), even(10_000, 200, 'spike')], 1);
  const calm = all.filter(({ phase }) => phase === 'even').map(({ at }) => at);

  test('are ordered and within their phases', () => {
    const times = all.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThan(0);
    expect(calm.at(-1)).toBeLessThan(50_000);
    expect(times.at(-1)).toBeLessThan(60_000);
  });
  test('have the rate of each phase', () => {
    // Five standard deviations of a Poisson count.
    expect(Math.abs(calm.length - 1_000)).toBeLessThan(5 * Math.sqrt(1_000));
    expect(Math.abs(all.length - calm.length - 2_000)).toBeLessThan(5 * Math.sqrt(2_000));
  });
  test('are irregular like independent arrivals', () => {
    const gaps = calm.slice(1).map((at, index) => at - (calm[index] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    expect(Math.sqrt(variance) / mean).toBeGreaterThan(0.8);
  });
  test('are the same for the same seed, and differ for another', () => {
    const phases = [even(1_000, 50)];
    expect(arrivals(phases, 7)).toEqual(arrivals(phases, 7));
    expect(arrivals(phases, 7)).not.toEqual(arrivals(phases, 8));
  });
  test('are bounded, however fast the machine', () => {
    expect(() => arrivals([even(60_000, 1e6)], 1)).toThrow(RangeError);
  });
  test('are none at a rate of zero', () => expect(arrivals([even(1_000, 0)], 1)).toEqual([]));
});
