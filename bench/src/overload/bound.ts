import type { Kind } from './kinds.ts';

/** Requests per second. */
export interface Rates {
  capacity: number;
  offered: number;
}

/**
 * The upper bound of answers per second, given that each rejection costs the main thread at least a bare 503: answered
 * = capacity · (1 − (offered − answered) · price), solved for `answered`. If the handlers do not use the main thread,
 * its time is not scarce, and the bound is the capacity.
 *
 * @param price Milliseconds of the main thread.
 */
export function bound(kind: Kind, { capacity, offered }: Rates, price: number): number {
  const max = Math.min(capacity, offered);
  if (kind !== 'cpu' || offered <= capacity) return max;
  const seconds = price / 1_000;
  return Math.max(0, (capacity * (1 - offered * seconds)) / (1 - capacity * seconds));
}
