import { HeadgateError } from '@headgate/core';
import { checkCount, checkNames, invalid } from '@headgate/core/options';

/** The range in which operators may set a limit. */
export interface OperatorBounds {
  /** Lowest value: a whole number from 1. Default: 1. */
  min?: number | undefined;
  /** Highest value: a whole number not below `min`. Default: none. */
  max?: number | undefined;
}

/** By the name of the limit. */
export type BoundsByName = ReadonlyMap<string, Readonly<OperatorBounds>>;

/**
 * Checks the option `bounds`.
 *
 * @param names The names of the limits, if the dashboard always has the same limits.
 * @throws HeadgateError for bounds that are not allowed, and for a name that none of the limits has.
 */
export function checkBounds(
  bounds: Readonly<Record<string, OperatorBounds>> | undefined,
  names: readonly string[] | undefined,
): BoundsByName {
  if (bounds === undefined) return new Map();
  if (typeof bounds !== 'object' || bounds === null || Array.isArray(bounds)) {
    throw invalid('bounds', 'an object with the bounds of each limit by its name', bounds);
  }
  return new Map(
    Object.entries(bounds).map(([name, own]) => {
      const option = `bounds.${name}`;
      if (names?.includes(name) === false) {
        const message = `${option} has no effect: the limits are ${names.join(', ') || 'none'}`;
        throw new HeadgateError('ERR_HEADGATE_OPTION', message, option);
      }
      checkNames(option, own, ['min', 'max']);
      const { min = 1, max } = own;
      checkCount(`${option}.min`, min, 1);
      if (max !== undefined) checkCount(`${option}.max`, max, min);
      return [name, { min, max }];
    }),
  );
}

/** @throws HeadgateError for a limit outside of its bounds. */
export function checkWithin(bounds: OperatorBounds | undefined, limit: number): void {
  const { min = 1, max } = bounds ?? {};
  if (limit >= min && limit <= (max ?? Infinity)) return;
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  throw invalid('limit', `a whole number ${range}`, limit);
}
