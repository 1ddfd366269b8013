/** The wait that is always allowed. */
const MIN_WAIT_MS = 250;

/** Assumed timeout of clients, unless the work itself takes longer: then a second more is assumed. */
const CLIENT_TIMEOUT_MS = 1000;

/** How much of the longest time for which the loop was busy at a stretch counts. */
const MAX_STRETCH_MS = 500;

/** How much of a wait of three times the duration is allowed: not all, since an overload makes work slow that waits. */
const MAX_WAIT_FOR_DURATION_MS = 400;

interface Measured {
  /** Milliseconds that a request keeps the loop busy. */
  readonly cost: number;
  /** Milliseconds that it takes. */
  readonly duration: number;
  /** Milliseconds for which the loop was busy at a stretch. */
  readonly longestBusy: number;
}

/**
 * Milliseconds that a request may wait. Clients accept a longer wait for longer work, but about a second in all for work
 * that usually takes less, and another second for work that takes more. If a few requests take much longer than most,
 * those behind them wait for that long.
 *
 * @param isPatient Whether it may wait for as long as its client does, since what delays it ends by itself, as a burst.
 */
export function maxWaitFor({ cost, duration, longestBusy }: Measured, isPatient: boolean): number {
  const stretch = Math.min(longestBusy, MAX_STRETCH_MS);
  const forDuration = Math.min(3 * duration, MAX_WAIT_FOR_DURATION_MS);
  const wanted = isPatient ? Infinity : Math.max(5 * cost, stretch, forDuration);
  // Some requests take twice as long as most, and all have waited in the loop before they were read.
  const beforeRead = isPatient ? stretch : stretch / 2;
  const left = Math.max(CLIENT_TIMEOUT_MS, 6 * cost) - 2 * duration - beforeRead;
  return Math.max(MIN_WAIT_MS, Math.min(wanted, left), waitForLongWork(cost, duration));
}

/** A second for work of a second or more. */
function waitForLongWork(cost: number, duration: number): number {
  // Without the time for which requests delay each other in the loop.
  const undelayed = duration - 3 * cost;
  // From 250 ms at 812 ms to a second at one second: a jump would reject many waiters whenever the mean falls.
  return Math.min(4 * (undelayed - 750), CLIENT_TIMEOUT_MS);
}
