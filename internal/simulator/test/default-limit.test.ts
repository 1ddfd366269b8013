import { adaptive, paced } from '@headgate/core';
import { expect, it } from 'vitest';
import { type Distribution, lognormal } from '../src/distributions.ts';
import {
  type Cell,
  figuresOf,
  jobsOf,
  type Kind,
  reference,
  simulate,
} from '../src/event-loop/cell.ts';

/** What the default limit answers in time, relative to a FIFO queue with the best fixed wait of the same p99. */
function relative(cell: Cell): number {
  const jobs = jobsOf(cell);
  const answers = simulate(
    cell,
    (loop) => ({
      limit: adaptive({ min: 8, initial: 8 }),
      order: paced(undefined, loop),
      queueLimit: Infinity,
    }),
    jobs,
  );
  const { answered, p99 } = figuresOf(cell, answers);
  return answered / reference(cell, jobs, p99).answered;
}

const loads = [0.8, 1, 2, 10];

// What docs/overload.md says.
it.each<[Kind, number, boolean]>([
  ['sync', 10, false],
  ['sync', 10, true],
  ['sync', 100, false],
  ['timer', 10, false],
  ['socket', 10, false],
  ['pool', 50, false],
])(
  'answers as many as the best fixed wait does: handlers of kind %s, %i ms, own connections: %s',
  (kind, mean, connects) => {
    const cell = { kind, mean, connects, workers: 10, seconds: 30 };
    for (const load of loads) {
      const work = lognormal(mean * Math.exp(-(0.3 ** 2) / 2), 0.3);
      expect(relative({ ...cell, load, work })).toBeGreaterThan(0.96);
    }
  },
);

it('answers at least 0.82 of that if one request in a hundred takes 100 times as long', () => {
  const work: Distribution = (random) => (random() < 0.01 ? 500 : 5);
  for (const load of loads) {
    expect(relative({ kind: 'sync', mean: 9.95, load, work })).toBeGreaterThan(0.82);
  }
});
