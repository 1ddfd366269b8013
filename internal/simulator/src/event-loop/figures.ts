import { capacityOf, type Outcome, PATIENCE_MS, type Workload } from './workload.ts';

/** Milliseconds at the start that do not count. */
const WARM_UP_MS = 2000;

export interface Figures {
  /** The answers in time, as a fraction of the capacity. */
  readonly answered: number;
  /** The 99th percentile of the times of the answered requests, in milliseconds. */
  readonly p99: number;
  /** Fraction of the requests that was rejected, or whose client gave up in the queue. */
  readonly rejected: number;
}

/** Whether the client received its answer. */
export function isInTime({ answered, took }: Outcome): boolean {
  return answered && took < PATIENCE_MS;
}

/** The 99th percentile. */
export function p99Of(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(0.99 * sorted.length)] ?? Number.NaN;
}

export function figuresOf(workload: Workload, outcomes: readonly Outcome[]): Figures {
  const end = 1000 * workload.seconds;
  const counted = outcomes.filter(({ at }) => at >= WARM_UP_MS && at < end);
  const times = counted.filter(({ answered }) => answered).map(({ took }) => took);
  const inTime = counted.filter(isInTime).length;
  return {
    answered: (1000 * inTime) / (end - WARM_UP_MS) / capacityOf(workload),
    p99: p99Of(times),
    rejected: 1 - times.length / counted.length,
  };
}
