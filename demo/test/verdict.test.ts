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

test('no improvement fails, unless other programs used the machine', () => {
  const { bare, guarded, ...rest } = comparisonOf(16, 15);
  expect(judge(comparisonOf(5, 9)).sound).toBe(true);
  expect(judge({ bare, guarded, ...rest }).sound).toBe(false);
  expect(judge({ bare, guarded, ...rest, capacities: [20, 11, 20] }).sound).toBe(true);
});

test('an unsteady machine and a late generator are reported', () => {
  const steady = comparisonOf(5, 19);
  const { bare } = steady;
  const shaken = {
    ...steady,
    capacities: [20, 17, 19] as const,
    bare: { ...bare, summary: { ...bare.summary, lag: 80, failed: 2 } },
  };
  const remarks = judge(shaken).remarks.join(' ');
  expect(remarks).toMatch(/not steady, .*: it could do 20\/s .* 17\/s .* 19\/s/);
  expect(remarks).toMatch(/could not keep its schedule: .* 80 ms late/);
  expect(remarks).toMatch(/2 requests failed/);
  expect(judge(steady).remarks).toHaveLength(2);
});
