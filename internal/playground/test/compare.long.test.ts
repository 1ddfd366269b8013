import { describe, expect, it } from 'vitest';
import { mean, run } from './results.ts';

/** Calls per second that a server with the initial capacity can answer. */
const capacity = 100;

describe('the comparison', () => {
  it('has the same result for the same settings', () => {
    const settings = { load: 2, retries: 1, spike: 0 };
    expect(run(settings)).toEqual(run(settings));
  });

  it('answers the same calls in each column while the load is low', () => {
    const { bare, fixed, adaptive } = run({ load: 0.3, spike: 0 });
    expect(bare.answered).toBeCloseTo(0.3 * capacity, -1);
    expect(fixed.perSecond).toEqual(bare.perSecond);
    expect(adaptive.perSecond).toEqual(bare.perSecond);
    for (const { rejected, timedOut } of [bare, fixed, adaptive]) {
      expect([rejected, timedOut]).toEqual([0, 0]);
    }
  });

  it.each([5, 10, 20])(
    'shows that a bare server of %i workers collapses in an overload while both limits keep answering',
    (workers) => {
      const before = run({ capacity: workers, fixed: workers, load: 1, spike: 0, retries: 0 });
      const after = run({ capacity: workers, fixed: workers, load: 5, spike: 0, retries: 0 });
      expect(before.bare.answered).toBeGreaterThan(0.8 * 10 * workers);
      expect(after.bare.answered).toBeLessThan(0.1 * 10 * workers);
      expect(after.fixed.answered).toBeGreaterThan(0.9 * 10 * workers);
      expect(after.adaptive.answered).toBeGreaterThan(0.9 * 10 * workers);
    },
  );

  it('shows that a bare server with clients that retry does not recover from a spike', () => {
    const { bare, fixed, adaptive } = run({ load: 0.8, spike: 5 });
    expect(mean(bare.perSecond.slice(15))).toBeLessThan(0.1 * capacity);
    expect(mean(fixed.perSecond.slice(15))).toBeGreaterThan(0.7 * capacity);
    expect(mean(adaptive.perSecond.slice(15))).toBeGreaterThan(0.7 * capacity);
  });

  it.each([
    ['critical calls first', 'byPriority', { critical: 10 }, 'critical', 0.95],
    ['small tenants', 'fair', {}, 'smallTenants', 0.9],
  ] as const)('answers %s if the order is %s', (_, order, changed, figure, least) => {
    const settings = { load: 5, spike: 0, retries: 0, ...changed };
    const fifo = run({ ...settings, order: 'fifo' });
    const ordered = run({ ...settings, order });
    for (const column of ['fixed', 'adaptive'] as const) {
      expect(fifo[column][figure]).toBeLessThan(0.5);
      expect(ordered[column][figure]).toBeGreaterThan(least);
    }
  });

  it('answers nothing in time if the fixed limit is so high that requests wait in the pool', () => {
    const { fixed } = run({ load: 5, spike: 0, retries: 0, fixed: 100, timeout: 500 });
    expect(fixed.answered).toBeLessThan(0.1 * capacity);
  });

  it('counts timeouts, rejections and the times of late answers', () => {
    const { bare, fixed } = run({ load: 5, spike: 0, retries: 0, queueLimit: 0 });
    expect(bare.rejected).toBe(0);
    expect(bare.timedOut).toBeGreaterThan(0.7);
    expect(bare.p99).toBeGreaterThan(5000);
    expect(fixed.rejected).toBeGreaterThan(0.7);
    expect(fixed.rejectedAfter).toBeLessThan(1);
    expect(fixed.p99).toBeLessThan(300);
  });

  it('has no figure where there is nothing to measure', () => {
    expect(run({ spike: 0, critical: 0 }).adaptive.critical).toBeNaN();
  });
});
