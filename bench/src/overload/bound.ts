import type { Kind } from './kinds.ts';

/** Requests per second. */
export interface Rates {
  capacity: number;
  offered: number;
}

/**
 * An upper bound for the answers per second of any design, given that each rejection costs the main thread as much as a
 * bare 503: answered = capacity · (1 − (offered − answered) · price), solved for answered. If the handlers do not use
 * the main thread, its time is not scarce, and the bound is the capacity.
 *
 * @param price Milliseconds of the main thread.
 */
export function bound(kind: Kind, { capacity, offered }: Rates, price: number): number {
  const most = Math.min(capacity, offered);
  if (kind !== 'cpu' || offered <= capacity) return most;
  const seconds = price / 1_000;
  return Math.max(0, (capacity * (1 - offered * seconds)) / (1 - capacity * seconds));
}
