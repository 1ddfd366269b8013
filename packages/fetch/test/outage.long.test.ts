import { aimd, type Limiter } from '@headgate/core';
import { describe, expect, it } from 'vitest';
import { type Outage, outage } from './outage-scene.ts';

const outages: readonly Outage[] = ['errors', 'hang', 'slow'];

const limits = {
  'a limit as large as the server': { limit: 4 },
  'a larger limit': { limit: 10 },
  'aimd()': { limit: aimd({ initial: 20 }) },
  'with tries': { limit: 10, tries: 3 },
};

/** Keeps the limit as it is. */
const unprobed = {
  onLimiter: (limiter: Limiter) =>
    void Object.defineProperty(limiter, 'setLimit', { value: () => {} }),
};

describe.each(outages)('ten processes call a server that fails for 30 s: %s', (kind) => {
  it.each(Object.entries(limits))('%s', async (_, options) => {
    const result = await outage(kind, options);
    expect(result.held).toBe(0);
    expect(result.before).toBeGreaterThanOrEqual(0.97);
    expect(result.attempts).toBeLessThanOrEqual(1.2);
    expect(result.recovery).toBeLessThanOrEqual(5);
    expect(result.after).toBeGreaterThanOrEqual(0.97);
  });
});

describe.each(['hang', 'slow'] as const)('the same outage: %s', (kind) => {
  it('without a limit never ends', async () => {
    const { recovery, after } = await outage(kind, { limit: 1_000_000, ...unprobed });
    expect([recovery, after]).toEqual([Number.POSITIVE_INFINITY, 0]);
  });

  it('without probing takes longer', async () => {
    const [probed, fixed] = [
      await outage(kind, { limit: 10 }),
      await outage(kind, { limit: 10, ...unprobed }),
    ];
    expect(fixed.recovery).toBeGreaterThan(3 * probed.recovery);
    expect(fixed.attempts).toBeGreaterThan(3 * probed.attempts);
  });
});

it('tries answer more calls if a fifth of the requests fails', async () => {
  const once = await outage('flaky', { limit: 10 });
  const thrice = await outage('flaky', { limit: 10, tries: 3 });
  expect(once.during).toBeLessThan(0.82);
  expect(thrice.during).toBeGreaterThan(0.94);
  // A fifth, and the ten tries that each process has saved up, of 270 calls.
  expect(thrice.attempts).toBeLessThanOrEqual(1.2 + 10 / 270);
});
