import { type Figures, figuresOf } from './figures.ts';
import { reference } from './reference.ts';
import { noLimiter, simulate } from './simulate.ts';
import { jobsOf, type Workload } from './workload.ts';

export interface Comparison extends Figures {
  /** `answered` relative to the reference that has the same 99th percentile. */
  readonly ratio: number;
  /** The answers in time without a limit, as a fraction of the capacity. */
  readonly withoutLimit: number;
}

export function compare(workload: Workload): Comparison {
  const jobs = jobsOf(workload);
  const figures = figuresOf(workload, simulate(workload, jobs));
  const ratio = figures.answered / reference(workload, jobs, figures.p99).answered;
  const withoutLimit = figuresOf(workload, simulate(workload, jobs, noLimiter)).answered;
  return { ...figures, ratio, withoutLimit };
}
