import { bound } from './bound.ts';
import type { KindRun, Measured } from './run.ts';

/** The fraction of the capacity answered in time, the upper bound of it, and their ratio. */
export interface Yield {
  answered: number;
  bound: number;
  ofBound: number;
}

/** @param price Milliseconds of the main thread for a bare 503. */
export function yieldOf(
  { kind }: KindRun,
  { loads, capacity }: Measured,
  multiple: number,
  price: number,
): Yield {
  const { answered = Number.NaN, offered = Number.NaN } = loads.get(multiple) ?? {};
  const max = bound(kind, { capacity, offered }, price);
  return { answered: answered / capacity, bound: max / capacity, ofBound: answered / max };
}

/** The cases that did not fail. */
export function measuredOf(run: KindRun): Array<[string, Measured]> {
  return [...run.cases].filter(
    (entry): entry is [string, Measured] => !(entry[1] instanceof Error),
  );
}
