import { bound } from './bound.ts';
import type { Measured, ResourceRun } from './run.ts';

/** The fraction of the capacity answered in time, the upper bound of it, and their ratio. */
export interface ThroughputRatio {
  answered: number;
  bound: number;
  ofBound: number;
}

/** @param rejectionCost Milliseconds of the main thread for a bare 503. */
export function throughputRatio(
  { resource }: ResourceRun,
  { loads, capacity }: Measured,
  multiple: number,
  rejectionCost: number,
): ThroughputRatio {
  const { answered = Number.NaN, offered = Number.NaN } = loads.get(multiple) ?? {};
  const max = bound(resource, { capacity, offered }, rejectionCost);
  return { answered: answered / capacity, bound: max / capacity, ofBound: answered / max };
}

/** The cases that did not fail. */
export function measuredOf(run: ResourceRun): Array<[string, Measured]> {
  return [...run.cases].filter(
    (entry): entry is [string, Measured] => !(entry[1] instanceof Error),
  );
}
