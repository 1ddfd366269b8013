import type { Plans } from '../run-parts.ts';

/** Durations and counts. */
export interface ServerPlan {
  rounds: number;
  /** The duration of each round in milliseconds. */
  load: number;
  wakes: number;
  starts: number;
}

export const plans: Plans<ServerPlan> = {
  full: { rounds: 12, load: 2_000, wakes: 400, starts: 10 },
  quick: { rounds: 2, load: 2_000, wakes: 50, starts: 3 },
};
