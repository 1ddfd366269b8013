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
  it('starts requests at once while that is less than 15 ms of work, and then at twice the rate of the loop', () => {
    const { spacing, start } = scene();
    for (let count = 0; count < 3; count++) {
      expect(spacing.remaining(1000)).toBe(0);
      start(1000);
    }
    start(1000);
    expect(spacing.remaining(1000)).toBe(5);
    expect(spacing.remaining(1005.5)).toBe(0);
    start(1005.5);
    expect(spacing.remaining(1005.5)).toBe(4.5);
  });

  it('lets no more start at once after idle time', () => {
    const { spacing, start } = scene();
    start(0);
    for (let count = 0; count < 3; count++) start(60_000);
    expect(spacing.remaining(60_000)).toBe(1);
  });

  it('counts requests in flight only, so that it does not hold back those that only compute', () => {
    const { cost, spacing, start } = scene();
    for (let count = 0; count < 5; count++) start(0);
    expect(spacing.remaining(0)).toBe(10);
    cost.inflight = 4;
    expect(spacing.remaining(0)).toBe(5);
    cost.inflight = 2;
    expect(spacing.remaining(0)).toBe(0);
    start(0);
    start(0);
    expect(spacing.remaining(0)).toBe(5);
  });

  it('is a quarter of the cost while the code is cold', () => {
    const { spacing, start } = scene(true);
    for (let count = 0; count < 8; count++) start(0);
    expect(spacing.remaining(0)).toBe(5);
  });

  it('is at most half of the time that requests take, since rejections are a part of their cost', () => {
    const { cost, spacing, start } = scene();
    cost.perRequest = 1000;
    start(0);
    expect(spacing.remaining(0)).toBe(35);
  });

  it('asks for a millisecond at least, the shortest time of a timer', () => {
    const { spacing, start } = scene();
    for (let count = 0; count < 4; count++) start(0);
    expect(spacing.remaining(4.9)).toBe(1);
  });
});
