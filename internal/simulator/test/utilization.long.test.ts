import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { resultOf, utilizationTable } from '../src/utilization/table.ts';

it('shedding by utilization loses half of the capacity of handlers that compute; the default limit does not', () => {
  const shedding = resultOf('sync', 2, 'shed above 90 % utilization');
  const limited = resultOf('sync', 2, 'Headgate, `concurrencyLimit()`');
  expect(shedding.spike).toBeLessThan(0.65);
  expect(limited.spike).toBeGreaterThan(0.9);
  expect(limited.p99).toBeLessThan(shedding.p99);
});

it('shedding by utilization does nothing for handlers that wait; the default limit keeps them in time', () => {
  const none = resultOf('pool', 2, 'no limit');
  const limited = resultOf('pool', 2, 'Headgate, `concurrencyLimit()`');
  expect(resultOf('pool', 2, 'shed above 90 % utilization')).toEqual(none);
  expect(none.afterwards).toBe(0);
  expect(limited.spike).toBeGreaterThan(0.9);
  expect(limited.afterwards).toBe(1);
});

it('docs/shedding-by-utilization.md has the table of the program', () => {
  const page = resolve(import.meta.dirname, '../../../docs/shedding-by-utilization.md');
  expect(readFileSync(page, 'utf8')).toContain(utilizationTable());
});
