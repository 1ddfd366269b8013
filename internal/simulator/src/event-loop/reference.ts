import { type Figures, figuresOf } from './figures.ts';
import {
  arrivalCost,
  type Job,
  type Outcome,
  REJECTION_COST,
  type Workload,
  waitOf,
} from './workload.ts';

/** A FIFO queue that rejects a request immediately if it would wait longer than `maxWait` milliseconds. */
function fifoWithMaxWait(workload: Workload, jobs: readonly Job[], maxWait: number): Outcome[] {
  const isPool = workload.kind === 'pool';
  /** When each worker, or the loop, becomes idle. */
  const free = new Array<number>(isPool ? workload.workers : 1).fill(0);
  return jobs.map(({ at, work }) => {
    const first = free.indexOf(Math.min(...free));
    const start = Math.max(free[first] as number, at);
    if (start - at > maxWait) {
      // A rejection keeps the loop busy, but not the pool.
      if (!isPool) free[first] = (free[first] as number) + arrivalCost(workload) + REJECTION_COST;
      return { at, took: 0, answered: false };
    }
    const end = start + work + (isPool ? 0 : arrivalCost(workload));
    free[first] = end;
    return { at, took: end + waitOf(workload.kind) - at, answered: true };
  });
}

const LONGEST_WAIT_MS = 1000;

/** Number of bisections of the maximum wait; the last one changes it by a quarter of a millisecond. */
const STEPS = 12;

/**
 * The reference is a FIFO queue with a fixed maximum wait. Among those whose 99th percentile is at most `p99`, it is
 * the one that answers most.
 */
export function reference(workload: Workload, jobs: readonly Job[], p99: number): Figures {
  let best = figuresOf(workload, fifoWithMaxWait(workload, jobs, 0));
  let low = 0;
  let high = LONGEST_WAIT_MS;
  for (let step = 0; step < STEPS; step++) {
    const maxWait = (low + high) / 2;
    const figures = figuresOf(workload, fifoWithMaxWait(workload, jobs, maxWait));
    if (figures.p99 > p99) high = maxWait;
    else {
      low = maxWait;
      if (figures.answered > best.answered) best = figures;
    }
  }
  return best;
}
