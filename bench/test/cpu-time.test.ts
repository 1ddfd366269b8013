import { expect, it } from 'vitest';
import { cpuTime } from '../src/distributed/cpu-time.ts';

it('returns the processor time of a process', () => {
  const { user, system } = process.cpuUsage();
  // The own process has no children that it has waited for, but vitest's may.
  expect(cpuTime(process.pid)).toBeGreaterThanOrEqual((user + system) / 1_000 - 100);
});

it('returns 0 for a process that has ended', () => {
  expect(cpuTime(2 ** 30)).toBe(0);
});
