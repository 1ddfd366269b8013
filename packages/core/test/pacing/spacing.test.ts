import { describe, expect, it } from 'vitest';
import { Spacing } from '../../src/pacing/spacing.ts';

/** Spacing of requests of 10 ms that take 100 ms in all. */
function scene(isCold = false) {
  const cost = { inflight: 0, perRequest: 10, duration: 100, isCold };
  const spacing = new Spacing(cost);
  const start = (now: number) => {
    spacing.started(now);
    cost.inflight++;
  };
  return { cost, spacing, start };
}

describe('the spacing of starts', () => {
  it('starts the first request at once, and the next when less than 5 ms of work is left, at 1.25 times the rate', () => {
    const { spacing, start } = scene();
    expect(spacing.remaining(1000)).toBe(0);
    start(1000);
    expect(spacing.remaining(1000)).toBe(3);
    expect(spacing.remaining(1003.5)).toBe(0);
    start(1003.5);
    expect(spacing.remaining(1003.5)).toBe(7.5);
  });

  it('lets no more than 5 ms of work start at once after idle time', () => {
    const { spacing, start } = scene();
    start(0);
    expect(spacing.remaining(60_000)).toBe(0);
    start(60_000);
    expect(spacing.remaining(60_000)).toBe(3);
  });

  it('counts requests in flight only, so that it does not hold back those that only compute', () => {
    const { cost, spacing, start } = scene();
    start(0);
    start(0);
    expect(spacing.remaining(0)).toBe(11);
    cost.inflight = 1;
    expect(spacing.remaining(0)).toBe(3);
    cost.inflight = 0;
    expect(spacing.remaining(0)).toBe(0);
    start(0);
    expect(spacing.remaining(0)).toBe(3);
  });

  it('is a quarter of the cost while the code is cold', () => {
    const { spacing, start } = scene(true);
    start(0);
    expect(spacing.remaining(0)).toBe(0);
    start(0);
    start(0);
    expect(spacing.remaining(0)).toBe(2.5);
  });

  it('is at most the time that requests take, since rejections are a part of their cost', () => {
    const { cost, spacing, start } = scene();
    cost.perRequest = 1000;
    start(0);
    expect(spacing.remaining(0)).toBe(75);
  });

  it('asks for a millisecond at least, the shortest time of a timer', () => {
    const { spacing, start } = scene();
    start(0);
    expect(spacing.remaining(2.9)).toBe(1);
  });
});
