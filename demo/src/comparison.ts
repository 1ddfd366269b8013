import type { Attempt } from './open-loop.ts';
import type { Phase } from './plan.ts';
import { percentile, type Summary } from './summary.ts';

export interface Run {
  readonly attempts: readonly Attempt[];
  readonly summary: Summary;
}

export interface Comparison {
  readonly phases: readonly [Phase, Phase, Phase];
  /** Answers per second, measured before, between and after the runs. */
  readonly capacities: readonly [number, number, number];
  readonly bare: Run;
  readonly guarded: Run;
}

/** The median of the measurements, because a machine's speed drifts and one outlier must not distort a run. */
export function capacityOf({ capacities }: Pick<Comparison, 'capacities'>): number {
  return percentile(capacities, 50) ?? Number.NaN;
}
