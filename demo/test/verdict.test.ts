import { expect, test } from 'vitest';
import { judge } from '../src/verdict.ts';
import { comparisonOf } from './attempts.ts';

test('nine tenths of the capacity pass', () => {
  const { headline, sound } = judge(comparisonOf(5, 19));
  expect(headline).toMatch(/kept answering: 9\d % .* against 2\d % without/);
  expect(sound).toBe(true);
});

test('a miss is reported, but is no defect of the demo', () => {
  const { headline, sound } = judge(comparisonOf(5, 16));
  expect(headline).toMatch(/reached 8\d % .* less than the expected 90 %; without/);
  expect(sound).toBe(true);
});

test('less than half of the capacity, or no improvement, fails', () => {
  expect(judge(comparisonOf(5, 9)).sound).toBe(false);
  expect(judge(comparisonOf(16, 15)).sound).toBe(false);
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
  expect(judge(steady).remarks).toHaveLength(1);
});
