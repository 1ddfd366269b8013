import { needsMainThread, type Resource } from './resources.ts';

/** Requests per second. */
export interface Rates {
  capacity: number;
  offered: number;
}

/**
 * The upper bound of answers per second, given that each rejection costs the main thread at least a bare 503: answered
 * = capacity · (1 − (offered − answered) · rejectionCost), solved for `answered`. If the handlers do not use the main
 * thread, its time is not scarce, and the bound is the capacity.
 *
 * @param rejectionCost Milliseconds of the main thread.
 */
export function bound(
  resource: Resource,
  { capacity, offered }: Rates,
  rejectionCost: number,
): number {
  const max = Math.min(capacity, offered);
  if (!needsMainThread(resource) || offered <= capacity) return max;
  const seconds = rejectionCost / 1_000;
  return Math.max(0, (capacity * (1 - offered * seconds)) / (1 - capacity * seconds));
}
