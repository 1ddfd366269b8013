import { arrivalCost, type Cell, type Job, type Outcome, REJECTION_COST, waits } from './cell.ts';
import { type Figures, figuresOf } from './figures.ts';

/** First in, first out, and a request that would have to wait longer than `maxWait` is rejected. */
function fifoWithMaxWait(cell: Cell, jobs: readonly Job[], maxWait: number): Outcome[] {
  const isPool = cell.kind === 'pool';
  /** When each worker, or the loop, is free. */
  const free = new Array<number>(isPool ? cell.workers : 1).fill(0);
  return jobs.map(({ at, work }) => {
    const first = free.indexOf(Math.min(...free));
    const start = Math.max(free[first] as number, at);
    if (start - at > maxWait) {
      // A rejection takes time of the loop, but none of a pool.
      if (!isPool) free[first] = (free[first] as number) + arrivalCost(cell) + REJECTION_COST;
      return { at, took: 0, answered: false };
    }
    const end = start + work + (isPool ? 0 : arrivalCost(cell));
    free[first] = end;
    return { at, took: end + waits[cell.kind] - at, answered: true };
  });
}

/** Milliseconds. */
const LONGEST_MAX_WAIT = 1000;
const STEPS = 12;

/** What the best fixed maximum wait answers whose 99th percentile is not above `p99`. */
export function reference(cell: Cell, jobs: readonly Job[], p99: number): Figures {
  let best = figuresOf(cell, fifoWithMaxWait(cell, jobs, 0));
  let low = 0;
  let high = LONGEST_MAX_WAIT;
  for (let step = 0; step < STEPS; step++) {
    const maxWait = (low + high) / 2;
    const figures = figuresOf(cell, fifoWithMaxWait(cell, jobs, maxWait));
    if (figures.p99 > p99) high = maxWait;
    else {
      low = maxWait;
      if (figures.answered > best.answered) best = figures;
    }
  }
  return best;
}
