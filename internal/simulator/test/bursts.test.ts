import { expect, test } from 'vitest';
import { answeredOfBurst } from '../src/ablation/situations.ts';

const UNLIMITED = 10_000;

test.each([
  ['has just started', 55, 60, 200, UNLIMITED],
  ['has just started', 30, 30, 300, UNLIMITED],
  ['has just started', 25, 60, 300, UNLIMITED],
  ['has answered requests for a minute', 100, 100, 200, UNLIMITED],
  ['has answered requests for a minute', 60, 60, 300, UNLIMITED],
  ['has answered requests for a minute', 150, 150, 200, UNLIMITED],
  ['has just started', 100, 200, 80, UNLIMITED],
  ['has just started', 18, 60, 200, 5],
  ['has answered requests for a minute', 20, 60, 200, 5],
] as const)(
  'an idle server that %s answers at least %i of %i requests of %i ms that arrive together (%i workers)',
  (process, least, size, work, workers) => {
    expect(
      answeredOfBurst(process === 'has just started', size, work, workers),
    ).toBeGreaterThanOrEqual(least);
  },
);
