import { describe, expect, it } from 'vitest';
import { Spacing } from '../../src/pacing/spacing.ts';

/** Spacing of requests of 15 ms that take 100 ms in all. */
function scene(isCold = false) {
  const cost = { inflight: 0, perRequest: 15, duration: 100, isCold };
  const spacing = new Spacing(cost);
  const start = (now: number, count = 1) => {
    for (let started = 0; started < count; started++) {
      spacing.started(now);
      cost.inflight++;
    }
  };
  return { cost, spacing, start };
}

describe('the spacing of starts', () => {
  it('starts two requests at once, and the next ones 1.5 times as fast as the loop handles them', () => {
    const { spacing, start } = scene();
    start(1000);
    expect(spacing.remaining(1000)).toBe(0);
    start(1000);
    expect(spacing.remaining(1000)).toBe(10);
    expect(spacing.remaining(1010)).toBe(0);
    start(1010);
    expect(spacing.remaining(1010)).toBe(10);
  });

  it('starts more requests at once while they are at most 5 ms ahead of their schedule', () => {
    const { cost, spacing, start } = scene();
    cost.perRequest = 1.5;
    start(0, 5);
    expect(spacing.remaining(0)).toBe(0);
    start(0, 4);
    expect(spacing.remaining(0)).toBe(4);
  });

  it('does not allow a larger burst after idle time', () => {
    const { spacing, start } = scene();
    start(0);
    start(60_000, 2);
    expect(spacing.remaining(60_000)).toBe(10);
  });

  it('counts requests in flight only, so that it does not hold back those that only compute', () => {
    const { cost, spacing, start } = scene();
    start(0, 4);
    expect(spacing.remaining(0)).toBe(30);
    cost.inflight = 2;
    expect(spacing.remaining(0)).toBe(10);
    cost.inflight = 1;
    expect(spacing.remaining(0)).toBe(0);
    start(0);
    expect(spacing.remaining(0)).toBe(10);
  });

  it('starts requests at four times the rate of the loop while the code is cold', () => {
    const { cost, spacing, start } = scene(true);
    cost.perRequest = 40;
    start(0, 3);
    expect(spacing.remaining(0)).toBe(20);
  });

  it('uses the duration of a request if its cost is higher, since rejections add to the cost', () => {
    const { cost, spacing, start } = scene();
    cost.perRequest = 1000;
    cost.duration = 30;
    start(0, 3);
    expect(spacing.remaining(0)).toBe(40);
  });

  it('returns at least 1 ms, the shortest timer delay', () => {
    const { spacing, start } = scene();
    start(0, 2);
    expect(spacing.remaining(9.9)).toBe(1);
  });
});
