import { checkCount, checkNames } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { Bounds } from './limit.ts';

/** Bounds with defaults applied. */
export interface Range {
  readonly min: number;
  readonly max: number;
  readonly initial: number;
}

/** @throws HeadgateError for an unknown option or an invalid bound. */
export function checkBounds<O extends Bounds>(
  owner: string,
  options: O,
  others: readonly (keyof O & string)[] = [],
): Range {
  checkNames(owner, options, ['min', 'max', 'initial', ...others]);
  const min = checkCount('min', options.min ?? 1, 1);
  const max = checkCount('max', options.max ?? Math.max(1000, min), 1);
  if (max < min) throw invalid('max', `a whole number not below min (${min})`, max);
  const initial = checkCount('initial', options.initial ?? within({ min, max }, 4), 1);
  if (initial < min || initial > max) {
    throw invalid('initial', `a whole number from min to max (${min} to ${max})`, initial);
  }
  return { min, max, initial };
}

export function within({ min, max }: Omit<Range, 'initial'>, limit: number): number {
  return Math.min(Math.max(limit, min), max);
}
