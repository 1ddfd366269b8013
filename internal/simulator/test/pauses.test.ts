import { expect, test } from 'vitest';
import { constant } from '../src/distributions.ts';
import { isInTime } from '../src/event-loop/figures.ts';
import { simulate } from '../src/event-loop/simulate.ts';
import type { Job } from '../src/event-loop/workload.ts';

/** Milliseconds that a query takes, number of connections of the pool, and milliseconds between the pauses. */
const query = 20;
const connections = 10;
const period = 5000;

/** How many requests are not answered in time while the database pauses five times, during a query on each connection. */
function missed(pause: number, perSecond: number): number {
  const duration = 6 * period;
  const jobs = Array.from(
    { length: (duration * perSecond) / 1000 },
    (_, index): Job => ({ at: (index * 1000) / perSecond, work: query }),
  );
  for (let at = period; at < duration; at += period)
    jobs.push(...Array.from({ length: connections }, () => ({ at, work: pause })));
  jobs.sort((first, second) => first.at - second.at);
  const serviceTime = constant(query);
  const workload = { kind: 'pool', mean: query, serviceTime, workers: connections } as const;
  const outcomes = simulate({ ...workload, load: 1, connects: false, seconds: 30, seed: 1 }, jobs);
  return outcomes.filter((outcome) => !isInTime(outcome)).length;
}

test.each([
  [300, 100, 0],
  [300, 200, 0],
  [500, 200, 0],
  // Some of the queries that take this long themselves follow each other.
  [800, 100, 6],
  [800, 200, 6],
])(
  'while a database pauses for %i ms five times, of %i queries per second at most %i are not answered in a second',
  (pause, perSecond, most) => {
    expect(missed(pause, perSecond)).toBeLessThanOrEqual(most);
  },
);
