import { describe, expect, test } from 'vitest';
import { inTime, serverWith } from '../src/ablation/situations.ts';
import { noLimiter } from '../src/event-loop/simulate.ts';
import { jobsOf } from '../src/event-loop/workload.ts';

describe('next to a batch job that keeps the event loop busy', () => {
  test.each([
    ['wait for 50 ms', 'pool', 50, 60, 5, 0],
    ['wait for 50 ms', 'pool', 50, 200, 20, 0],
    ['wait for 50 ms', 'pool', 50, 60, 20, 1],
    ['wait for 200 ms', 'pool', 200, 60, 5, 0.1],
    ['compute for 3 ms after a query', 'query', 3, 60, 5, 0],
    ['compute for 5 ms after a query', 'query', 5, 60, 19, 1],
    ['compute for 3 ms between queries', 'queries', 3, 60, 5, 0],
    ['compute for 2 ms', 'sync', 2, 100, 50, 0],
  ] as const)(
    'requests that %s are answered from seven seconds on (%s, %i ms, %i a second, %i ms of other work at a time, %d ms apart)',
    (_name, kind, mean, perSecond, busy, idle) => {
      for (const from of [0, 8000]) {
        const workload = serverWith({ from, busy, idle }, kind, mean, perSecond);
        expect(inTime(workload, from + 7000)).toBeGreaterThan(0.97);
      }
    },
  );

  test('requests with a connection each are answered from seven seconds on', () => {
    const server = serverWith({ from: 0, busy: 5, idle: 0 }, 'pool', 50, 150);
    expect(inTime({ ...server, connects: true }, 7000)).toBeGreaterThan(0.97);
  });

  test('an overload of requests that compute is still rejected', () => {
    const workload = serverWith({ from: 8000, busy: 5, idle: 0 }, 'query', 5, 220);
    expect(inTime(workload, 15_000, jobsOf(workload), noLimiter)).toBeLessThan(0.05);
    expect(inTime(workload, 15_000)).toBeGreaterThan(0.5);
  });
});
