import { bound } from './bound.ts';
import type { KindRun, Measured } from './run.ts';

/** The answers in time over the capacity, the bound, and their ratio. */
export interface Yield {
  answered: number;
  bound: number;
  ofBound: number;
}

/** @param price Milliseconds of the main thread that a bare 503 takes. */
export function yieldOf(
  { kind }: KindRun,
  { loads, capacity }: Measured,
  multiple: number,
  price: number,
): Yield {
  const { answered = Number.NaN, offered = Number.NaN } = loads.get(multiple) ?? {};
  const most = bound(kind, { capacity, offered }, price);
  return { answered: answered / capacity, bound: most / capacity, ofBound: answered / most };
}

/** The cases that did not fail. */
export function measuredOf(run: KindRun): Array<[string, Measured]> {
  return [...run.cases].filter(
    (entry): entry is [string, Measured] => !(entry[1] instanceof Error),
  );
}
