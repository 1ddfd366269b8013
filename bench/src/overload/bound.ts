import type { Kind } from './kinds.ts';

/** Requests per second. */
export interface Rates {
  capacity: number;
  offered: number;
}

/**
 * Answers per second that no design can beat, as each request it turns away takes the price of a bare 503 of the main thread:
 * answered = capacity · (1 − (offered − answered) · price), solved for what is answered. Where the handlers leave the main
 * thread to itself, its time is not what is short, and the bound is the capacity: nothing is taken off.
 *
 * @param price Milliseconds of the main thread.
 */
export function bound(kind: Kind, { capacity, offered }: Rates, price: number): number {
  const most = Math.min(capacity, offered);
  if (kind !== 'cpu' || offered <= capacity) return most;
  const seconds = price / 1_000;
  return Math.max(0, (capacity * (1 - offered * seconds)) / (1 - capacity * seconds));
}
