import { atLeast, type Case, casesFrom, type Goal } from './goal.ts';
import type { SimulatedRequest } from './limited.ts';

/** A rejection within this many milliseconds of the arrival is an early one. */
const EARLY_MS = 100;

export interface EarlyFigures extends Pick<Case, 'setting'> {
  /** The percentage of the unanswered requests that is rejected early. */
  readonly early: number;
}

export function isRejectedEarly({ rejection, endedAt, planned }: SimulatedRequest): boolean {
  return rejection !== undefined && endedAt - planned.at <= EARLY_MS;
}

/** The goals at 5 and 20 times the capacity. */
export function earlyGoals(five: readonly EarlyFigures[], twenty: readonly EarlyFigures[]): Goal[] {
  return [
    atLeast(
      `rejected within ${EARLY_MS} ms, of those not answered, at 5 ×`,
      33,
      '%',
      casesFrom(five, 'early'),
    ),
    atLeast('the same at 20 ×', 80, '%', casesFrom(twenty, 'early')),
  ];
}
