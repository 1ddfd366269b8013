import type { Plans } from '../run-parts.ts';

/** Durations and counts. */
export interface ServerPlan {
  rounds: number;
  /** The duration of each round in milliseconds. */
  load: number;
  wakes: number;
  /** Number of rounds for each number of callers. */
  contended: number;
  /** Number of grants to warm up, and as many to measure. */
  grants: number;
  starts: number;
}

export const plans: Plans<ServerPlan> = {
  full: { rounds: 12, load: 2_000, wakes: 400, contended: 3, grants: 10_000, starts: 10 },
  quick: { rounds: 2, load: 2_000, wakes: 50, contended: 1, grants: 5_000, starts: 3 },
};
