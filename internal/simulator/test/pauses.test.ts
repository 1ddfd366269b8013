import { expect, test } from 'vitest';
import { constant } from '../src/distributions.ts';
import { isInTime } from '../src/event-loop/figures.ts';
import { simulate } from '../src/event-loop/simulate.ts';
import { jobsOf, type Workload } from '../src/event-loop/workload.ts';

/** The part of the requests that a server answers in time whose database pauses every five seconds. */
function answered(query: number, load: number, pause: number): number {
  const workload: Workload = {
    ...{ kind: 'pool', mean: query, serviceTime: constant(query), workers: 10 },
    ...{ load, connects: false, seconds: 60, seed: 1 },
    pauses: { every: 5000, length: pause },
  };
  const outcomes = simulate(workload, jobsOf(workload));
  return outcomes.filter(isInTime).length / outcomes.length;
}

test.each([
  [300, 20, 0.4, 1],
  [500, 20, 0.4, 1],
  [800, 20, 0.4, 0.998],
  [800, 20, 0.2, 1],
  [800, 20, 0.7, 0.98],
  [800, 100, 0.5, 1],
])(
  'if a database pauses for %i ms every five seconds, of queries of %i ms at %d of its capacity, %d are answered in time',
  (pause, query, load, least) => {
    expect(answered(query, load, pause)).toBeGreaterThanOrEqual(least);
  },
);
