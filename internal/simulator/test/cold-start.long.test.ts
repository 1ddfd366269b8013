import { expect, test } from 'vitest';
import { coldSpike } from '../src/ablation/situations.ts';
import { figuresOf } from '../src/event-loop/figures.ts';
import { workload as named } from '../src/event-loop/named-workload.ts';
import { simulate } from '../src/event-loop/simulate.ts';
import { jobsOf } from '../src/event-loop/workload.ts';

test.each([
  ['handlers that compute', 'sync', false, 0.9],
  ['handlers that compute, a connection each', 'sync', true, 0.95],
  ['handlers that wait for a socket', 'socket', false, 0.8],
] as const)(
  'a process that has just started answers a spike: %s',
  (_name, kind, connects, least) => {
    const fractions = [1, 2, 3, 4, 5].map((seed) => coldSpike(kind, connects, seed));
    expect(Math.min(...fractions)).toBeGreaterThan(least);
  },
);

const seeds = Array.from({ length: 40 }, (_, index) => index + 1);

test.each([
  [35, 200, 0.2],
  [200, 50, 0.7],
  [200, 200, 0.3],
])(
  'work that varies widely does not look like an overload at the start: %i ms in a pool of %i, at %f times its capacity',
  (mean, workers, load) => {
    const rejected = seeds.map((seed) => {
      const workload = named({
        kind: 'pool',
        distribution: 'lognormal 1.0',
        ...{ mean, workers, load, seed },
      });
      return figuresOf(workload, simulate(workload, jobsOf(workload))).rejected;
    });
    expect(Math.max(...rejected)).toBeLessThan(0.02);
  },
);
