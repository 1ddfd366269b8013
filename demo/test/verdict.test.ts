import { expect, test } from 'vitest';
import { judge } from '../src/verdict.ts';
import { comparisonOf } from './attempts.ts';

test('the headline states what both servers did, whatever that is', () => {
  const of = (bare: number, guarded: number) => judge(comparisonOf(bare, guarded)).headline;
  expect(of(5, 19)).toBe(
    'Of 180 requests during the spike, 15 were answered in time without Headgate, and 57 with it.',
  );
  expect(of(16, 15)).toMatch(/, 48 were answered in time without Headgate, and 45 with it\.$/);
});

test('the capacity is a remark, against which both can be compared', () => {
  expect(judge(comparisonOf(5, 19)).remarks[0]).toBe(
    'The spike lasts 3 s. At its capacity of 20/s, the server answers about 60 requests in that time.',
  );
});

test('no improvement fails', () => {
  expect(judge(comparisonOf(5, 9)).sound).toBe(true);
  expect(judge(comparisonOf(16, 15)).sound).toBe(false);
});

const { bare, ...others } = comparisonOf(16, 15);
const late = { ...bare, summary: { ...bare.summary, lag: 80 } };

test.each([
  ['unsteady', { ...others, bare, capacities: [20, 11, 20] as const }, /not steady/],
  ['late', { ...others, bare: late }, /could not keep its schedule/],
])('a run on a machine that was too busy (%s) shows nothing, and does not fail', (_, run, why) => {
  const { headline, remarks, isConclusive, sound } = judge(run);
  expect(headline).toMatch(/^This run shows nothing: other programs kept the machine too busy\./);
  expect(remarks.join(' ')).toMatch(why);
  expect([isConclusive, sound]).toEqual([false, true]);
});

test('failures and a machine that was not quite steady are reported', () => {
  const steady = comparisonOf(5, 19);
  const shaken = {
    ...steady,
    capacities: [20, 17, 19] as const,
    bare: { ...steady.bare, summary: { ...steady.bare.summary, failed: 2 } },
  };
  const remarks = judge(shaken).remarks.join(' ');
  expect(remarks).toMatch(/not steady, .*: it could do 20\/s .* 17\/s .* 19\/s/);
  expect(remarks).toMatch(/2 requests failed/);
  expect(judge(steady).remarks).toHaveLength(2);
});
