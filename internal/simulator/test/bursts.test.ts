import { expect, test } from 'vitest';
import { constant } from '../src/distributions.ts';
import { isInTime } from '../src/event-loop/figures.ts';
import { simulate } from '../src/event-loop/simulate.ts';
import type { Job } from '../src/event-loop/workload.ts';

/** Requests at low load that a process has answered before a burst, 10 per second. */
const before = { 'has just started': 0, 'has answered requests for a minute': 600 };

const UNLIMITED = 10_000;

/** How many requests are answered in time that arrive together at an idle server and do not need its event loop. */
function answered(process: keyof typeof before, size: number, work: number, workers: number) {
  const earlier = before[process];
  const begin = earlier * 100 + 500;
  const jobs = Array.from({ length: earlier }, (_, index): Job => ({ at: index * 100, work }));
  jobs.push(...Array.from({ length: size }, (_, index) => ({ at: begin + index * 0.01, work })));
  const isCold = earlier === 0;
  const workload = {
    kind: 'pool',
    mean: work,
    serviceTime: constant(work),
    workers,
    isCold,
  } as const;
  const outcomes = simulate({ ...workload, load: 1, connects: false, seconds: 1, seed: 1 }, jobs);
  return outcomes.filter((outcome) => outcome.at >= begin && isInTime(outcome)).length;
}

test.each([
  ['has just started', 55, 60, 200, UNLIMITED],
  ['has just started', 30, 30, 300, UNLIMITED],
  ['has just started', 25, 60, 300, UNLIMITED],
  ['has answered requests for a minute', 100, 100, 200, UNLIMITED],
  ['has answered requests for a minute', 60, 60, 300, UNLIMITED],
  ['has just started', 18, 60, 200, 5],
  ['has answered requests for a minute', 20, 60, 200, 5],
] as const)(
  'an idle server that %s answers at least %i of %i requests of %i ms that arrive together (%i workers)',
  (process, least, size, work, workers) => {
    expect(answered(process, size, work, workers)).toBeGreaterThanOrEqual(least);
  },
);
