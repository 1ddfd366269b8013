import { checkMethods } from './options.ts';

/** Time and timers: a test or a simulation supplies its own. */
export interface Clock {
  /** Milliseconds from any origin; never goes back. */
  now(): number;
  setTimeout(callback: () => void, delay: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** `performance.now()`, which a step of the wall clock does not move, and the runtime's own timers. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer as number),
};

/** Timers above 2^31 - 1 ms fire at once in Node and in browsers. */
export const longestTimer = 2 ** 31 - 1;

export function checkClock(clock: Clock | undefined): Clock {
  if (clock === undefined) return systemClock;
  return checkMethods('clock', clock, ['now', 'setTimeout', 'clearTimeout']);
}
