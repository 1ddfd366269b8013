import { expect, it } from 'vitest';
import { History } from '../src/history.ts';

/** Five minutes of this many limits, each of which has a spike of one second. */
function historyOf(count: number) {
  const history = new History();
  type Limits = Parameters<typeof history.add>[1];
  let views: Limits = [];
  for (let second = 1; second <= 300; second++) {
    views = Array.from({ length: count }, (_, id) => {
      const queued = second === 100 + (id % 100) ? 80 : 0;
      const sample = [40, queued, 40, second, 0] as const;
      return { id, sample };
    });
    history.add(second * 1_000, views);
  }
  return { history, views };
}

it('the dashboard sends all samples of up to 39 limits', () => {
  const { history, views } = historyOf(39);
  const samples = Object.values(history.since(0, views));
  expect(samples.every(({ length }) => length === 300)).toBe(true);
});

it('the dashboard sends at most 12,000 samples of many limits, including the first and the highest of each', () => {
  const { history, views } = historyOf(1_000);
  const samples = Object.values(history.since(-1, views));
  expect(samples.every(({ length }) => length === 12)).toBe(true);
  expect(samples.every(([first]) => first?.[0] === 1_000)).toBe(true);
  expect(samples.every((own) => own.some(([, , queued]) => queued === 80))).toBe(true);
  const times = samples.map((own) => own.map(([at]) => at));
  expect(times.every((own) => own.every((at, i) => at > (own[i - 1] ?? -1)))).toBe(true);
  // Without a spike, the latest of each part.
  expect(times.every((own) => own.at(-1) === 300_000)).toBe(true);
  expect(JSON.stringify(history.since(-1, views)).length).toBeLessThan(350_000);
});

it('the dashboard sends all samples that the page does not have yet', () => {
  const { history, views } = historyOf(1_000);
  const samples = Object.values(history.since(295_000, views));
  expect(samples.every(({ length }) => length === 5)).toBe(true);
});

it('the dashboard sends the latest sample of limits beyond the first 1,000', () => {
  const { history, views } = historyOf(7_000);
  const samples = Object.values(history.since(-1, views));
  expect([samples[999]?.length, samples[1_000]]).toEqual([2, [[300_000, 40, 0, 40, 300, 0]]]);
});
