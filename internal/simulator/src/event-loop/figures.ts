import { capacityOf, type Outcome, PATIENCE_MS, type Workload } from './workload.ts';

/** Milliseconds at the start that are not counted. */
const WARM_UP_MS = 2000;

export interface Figures {
  /** Answered in time, as a fraction of the capacity. */
  readonly answered: number;
  /** The 99th percentile of the times of the answered requests, in milliseconds. */
  readonly p99: number;
  /** Fraction of the requests that was rejected, or whose client gave up in the queue. */
  readonly rejected: number;
}

export function figuresOf(workload: Workload, outcomes: readonly Outcome[]): Figures {
  const end = 1000 * workload.seconds;
  const counted = outcomes.filter(({ at }) => at >= WARM_UP_MS && at < end);
  const times = counted.filter(({ answered }) => answered).map(({ took }) => took);
  times.sort((one, other) => one - other);
  const inTime = times.filter((time) => time < PATIENCE_MS).length;
  return {
    answered: (1000 * inTime) / (end - WARM_UP_MS) / capacityOf(workload),
    p99: times[Math.floor(0.99 * times.length)] ?? Number.NaN,
    rejected: 1 - times.length / counted.length,
  };
}
