import type { WorkCost } from './work-cost.ts';

/** The wait that is always allowed, in milliseconds. */
export const MIN_WAIT_MS = 250;

/** Assumed timeout of clients, unless the work itself takes longer: then a second more is assumed. */
const CLIENT_TIMEOUT_MS = 1000;

/** How much of the longest time for which the loop was busy at a stretch counts. */
const MAX_STRETCH_MS = 500;

/** How much of a wait of three times the duration is allowed: not all, since an overload makes work slow that waits. */
const MAX_WAIT_FOR_DURATION_MS = 400;

/**
 * Milliseconds that a request may wait. Clients accept a longer wait for longer work, but about a second in all for work
 * that usually takes less, and another second for work that takes more. If a few requests take much longer than most,
 * those behind them wait for that long.
 *
 * @param longestBusy Milliseconds for which the loop was busy at a stretch.
 * @param isPatient Whether it may wait for as long as its client does, since what delays it ends by itself, as a burst.
 */
export function maxWaitFor(
  { perRequest, duration }: Pick<WorkCost, 'perRequest' | 'duration'>,
  longestBusy: number,
  isPatient: boolean,
): number {
  const stretch = Math.min(longestBusy, MAX_STRETCH_MS);
  const forDuration = Math.min(3 * duration, MAX_WAIT_FOR_DURATION_MS);
  const wanted = isPatient ? Infinity : Math.max(5 * perRequest, stretch, forDuration);
  // Some requests take twice as long as most, and all have waited in the loop before they were read.
  const beforeRead = isPatient ? stretch : stretch / 2;
  const toAnswer = isPatient ? duration : 2 * duration;
  const left = Math.max(CLIENT_TIMEOUT_MS, 6 * perRequest) - toAnswer - beforeRead;
  return Math.max(MIN_WAIT_MS, Math.min(wanted, left), waitForLongWork(perRequest, duration));
}

/** A second for work of a second or more. */
function waitForLongWork(perRequest: number, duration: number): number {
  // Without the time for which requests delay each other in the loop.
  const undelayed = duration - 3 * perRequest;
  // From 250 ms at 812 ms to a second at one second: a jump would reject many waiters whenever the mean falls.
  return Math.min(4 * (undelayed - 750), CLIENT_TIMEOUT_MS);
}
