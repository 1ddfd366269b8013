import { checkMethods } from './checks.ts';

/** Time and timers: a test or a simulation supplies its own. */
export interface Clock {
  /** Milliseconds from any origin; never goes back. */
  now(): number;
  /** Calls back once, after so many milliseconds; returns what `clearTimeout` takes. */
  setTimeout(callback: () => void, delay: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** `performance.now()`, which a step of the wall clock does not move, and the runtime's own timers. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer as number),
};

export function checkClock(clock: Clock | undefined): Clock {
  if (clock === undefined) return systemClock;
  return checkMethods('clock', clock, ['now', 'setTimeout', 'clearTimeout']);
}

/** Milliseconds. Timers above it fire at once, in Node and in browsers. */
export const longestTimer = 2 ** 31 - 1;

/** Calls back after so many milliseconds; never, where that is longer than a timer can be. Returns what cancels it. */
export function startTimer(
  clock: Clock,
  delay: number,
  callback: () => void,
  background = false,
): () => void {
  if (delay > longestTimer) return () => {};
  const timer = clock.setTimeout(callback, delay);
  if (background) unref(timer);
  return () => clock.clearTimeout(timer);
}

/** Nothing must be kept alive by the timer: a process that is otherwise done may end. */
export function unref(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}
