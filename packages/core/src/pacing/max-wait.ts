import type { WorkCost } from './work-cost.ts';

/** The wait that is always allowed, in milliseconds. */
export const MIN_WAIT_MS = 250;

/** Assumed timeout of clients, unless the work itself takes longer: then a second more is assumed. */
const CLIENT_TIMEOUT_MS = 1000;

/** Maximum wait that a busy stretch of the loop justifies, in milliseconds. */
const MAX_STRETCH_MS = 500;

/** Maximum wait that the duration of a request justifies, in milliseconds: an overload itself makes work slow. */
const MAX_WAIT_FOR_DURATION_MS = 400;

/**
 * Milliseconds that a request may wait. Clients accept a longer wait for longer work, but about a second in all for work
 * that usually takes less, and another second for work that takes more. If a few requests take much longer than most,
 * those behind them wait for that long.
 *
 * @param longestBusy The longest recent time for which the loop was busy without a break, in milliseconds.
 * @param isPatient Whether what delays the request ends by itself, as a burst does: it may then wait as long as its client.
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
