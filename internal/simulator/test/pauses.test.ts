import { expect, test } from 'vitest';
import { pauses } from '../src/ablation/situations.ts';

test.each([
  [300, 20, 0.4, 1],
  [500, 20, 0.4, 1],
  [800, 20, 0.4, 0.998],
  [800, 20, 0.2, 1],
  [800, 20, 0.7, 0.98],
  [800, 100, 0.5, 1],
])(
  'a database that pauses for %i ms every five seconds, with queries of %i ms at %d of its capacity, answers %d of them in time',
  (pause, query, load, least) => {
    expect(pauses(pause, query, load)).toBeGreaterThanOrEqual(least);
  },
);
