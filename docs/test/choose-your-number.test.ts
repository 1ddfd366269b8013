import { createLimiter, type LimiterStats } from '@headgate/core';
import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { read } from './pages.ts';

/** Half a minute of 200 requests per second, of 50 ms on average. */
async function suggestion(): Promise<NonNullable<LimiterStats['suggestion']>> {
  const random = lcg(1);
  const exponential = (mean: number) => -mean * Math.log(1 - random());
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 10, clock });
  limiter.shadow();
  for (let count = 0; count < 6000; count++) {
    clock.advance(exponential(5));
    const permit = await limiter.acquire();
    clock.setTimeout(() => permit.release(), exponential(50));
  }
  return limiter.stats().suggestion as NonNullable<LimiterStats['suggestion']>;
}

it('the page has the number and the table that shadow mode shows after the requests of the page', async () => {
  const { limits, measured } = await suggestion();
  const rows = limits.map(({ limit, rejectedShare, waitP50, waitP99, inflightPeak }) => {
    const share = `${(100 * rejectedShare).toFixed(1)} %`;
    return `| ${limit} | ${share} | ${waitP50} | ${waitP99} | ${inflightPeak} |`;
  });
  const page = read('docs/choose-your-number.md');
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  expect(measured?.isSaturated).toBe(false);
  expect(page).toContain(`\`limit\` is ${measured?.limit}.`);
});
