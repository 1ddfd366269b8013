import type { Attempt } from './open-loop.ts';
import type { Phase } from './plan.ts';
import type { Protection } from './protection.ts';
import type { Summary } from './summary.ts';

export interface Run {
  /** Answers a second, from what was measured just before the run and just after: machines drift. */
  readonly capacity: number;
  readonly attempts: readonly Attempt[];
  readonly summary: Summary;
}

export interface Comparison {
  readonly phases: readonly [Phase, Phase, Phase];
  readonly protection: Protection;
  /** Measured before, between and after the runs. */
  readonly capacities: readonly [number, number, number];
  readonly bare: Run;
  readonly guarded: Run;
}

/** How much of what the server can do it did, during the spike. */
export const reached = ({ summary, capacity }: Run) => summary.rate / capacity;
