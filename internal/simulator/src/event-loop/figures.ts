import { type Cell, capacityOf, type Outcome } from './cell.ts';

/** Milliseconds at the start that are not counted. */
const WARM_UP = 2000;

/** Milliseconds after which a client gives up. */
const PATIENCE = 1000;

export interface Figures {
  /** Answered in time, as a fraction of the capacity. */
  readonly answered: number;
  /** Percentiles of the answered requests in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Fraction of the requests that was rejected. */
  readonly rejected: number;
}

export function figuresOf(cell: Cell, outcomes: readonly Outcome[]): Figures {
  const end = 1000 * cell.seconds;
  const counted = outcomes.filter(({ at }) => at >= WARM_UP && at < end);
  const times = counted.filter(({ answered }) => answered).map(({ took }) => took);
  times.sort((one, other) => one - other);
  const percentile = (part: number) => times[Math.floor(part * times.length)] ?? Number.NaN;
  const inTime = times.filter((time) => time < PATIENCE).length;
  return {
    answered: (1000 * inTime) / (end - WARM_UP) / capacityOf(cell),
    p50: percentile(0.5),
    p99: percentile(0.99),
    rejected: 1 - times.length / counted.length,
  };
}
