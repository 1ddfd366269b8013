import { expect, test } from 'vitest';
import { constant } from '../src/distributions.ts';
import { simulate } from '../src/event-loop/simulate.ts';
import { type HandlerKind, jobsOf } from '../src/event-loop/workload.ts';

/** Fraction of the requests of the first two seconds that is answered within a second. */
function answered(kind: HandlerKind, connects: boolean, seed: number): number {
  const workload = {
    kind,
    connects,
    seed,
    mean: 0.1,
    serviceTime: constant(0.1),
    workers: 10,
    load: 0.2,
    seconds: 2,
    isCold: true,
  };
  const outcomes = simulate(workload, jobsOf(workload));
  return outcomes.filter(({ answered: is, took }) => is && took < 1000).length / outcomes.length;
}

test.each([
  ['handlers that compute', 'sync', false, 0.95],
  ['handlers that compute, a connection each', 'sync', true, 0.95],
  ['handlers that wait for a socket', 'socket', false, 0.8],
] as const)(
  'a process that has just started answers a spike: %s',
  (_name, kind, connects, least) => {
    const fractions = [1, 2, 3, 4, 5].map((seed) => answered(kind, connects, seed));
    expect(Math.min(...fractions)).toBeGreaterThan(least);
  },
);
