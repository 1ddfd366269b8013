import { describe, expect, it } from 'vitest';
import { estimate, median, pairedRatios, student95 } from '../src/stats.ts';

describe('median', () => {
  it('is the middle value, or the mean of the two', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 9])).toBe(3);
    expect(median([])).toBeNaN();
  });
});

describe('pairedRatios', () => {
  it('divides round by round, for rounds that both have', () => {
    expect(pairedRatios([2, 9, 4], [1, 3])).toEqual([2, 3]);
  });
});

describe('student95', () => {
  it.each([
    [1, 12.706],
    [2, 4.303],
    [4, 2.776],
    [9, 2.262],
    [29, 2.045],
    [1_000, 1.962],
  ])('is right for %i degrees of freedom', (degrees, quantile) => {
    expect(student95(degrees)).toBeCloseTo(quantile, 2);
  });
});

describe('estimate', () => {
  it('is the geometric mean, so that a ratio and its inverse agree', () => {
    const ratios = [0.8, 1.1, 1.3];
    const there = estimate(ratios);
    const back = estimate(ratios.map((ratio) => 1 / ratio));
    expect(there.mean * back.mean).toBeCloseTo(1);
    expect(there.low * back.high).toBeCloseTo(1);
  });

  it('has no width if all rounds agree, and is unbounded for a single round', () => {
    expect(estimate([1.2, 1.2, 1.2])).toMatchObject({ low: 1.2, high: 1.2 });
    expect(estimate([1.2]).high).toBe(Number.POSITIVE_INFINITY);
  });
});
