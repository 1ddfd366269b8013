import { invalid } from '../errors.ts';

/** A weight above the limit could never be granted. */
export function checkWeight(weight: number, limit: number): void {
  if (Number.isSafeInteger(weight) && weight >= 1 && weight <= limit) return;
  const expected = `a whole number from 1 to the limit (${limit})`;
  throw invalid('weight', expected, weight, 'ERR_HEADGATE_WEIGHT');
}
