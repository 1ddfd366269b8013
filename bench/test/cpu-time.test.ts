import { expect, it } from 'vitest';
import { cpuTime } from '../src/distributed/cpu-time.ts';

it('returns the processor time of a process', () => {
  const began = process.cpuUsage();
  const before = cpuTime(process.pid);
  const work = process.cpuUsage();
  while (process.cpuUsage(work).user < 200_000);
  // A difference, because vitest may have had children that used processor time.
  const spent = cpuTime(process.pid) - before;
  const { user, system } = process.cpuUsage(began);
  expect(spent).toBeGreaterThan(150);
  expect(spent).toBeLessThan((user + system) / 1_000 + 50);
});

it('returns 0 for a process that has ended', () => {
  expect(cpuTime(2 ** 30)).toBe(0);
});
