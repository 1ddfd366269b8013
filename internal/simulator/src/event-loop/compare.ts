import { jobsOf } from './cell.ts';
import type { NamedCell } from './cells.ts';
import { type Figures, figuresOf } from './figures.ts';
import { reference } from './reference.ts';
import { simulate } from './simulate.ts';

export interface Comparison extends Figures {
  /** Answered relative to a FIFO queue with the best fixed maximum wait at the same 99th percentile. */
  readonly ratio: number;
}

export function compare(cell: NamedCell): Comparison {
  const jobs = jobsOf(cell);
  const figures = figuresOf(cell, simulate(cell, jobs));
  return { ...figures, ratio: figures.answered / reference(cell, jobs, figures.p99).answered };
}
