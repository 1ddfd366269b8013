import { checkFunction, checkMethods } from './checks.ts';
import { attempt, invalid, throwLater } from './errors.ts';

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
  if (clock === undefined || clock === systemClock) return systemClock;
  if (clock instanceof SafeClock) return clock;
  return new SafeClock(checkMethods('clock', clock, ['now', 'setTimeout', 'clearTimeout']));
}

/**
 * An application's clock, which does not throw: no permit may be lost because a clock fails. Its errors surface as uncaught
 * exceptions, and time stands still meanwhile.
 */
class SafeClock implements Clock {
  #now = 0;

  constructor(private readonly clock: Clock) {}

  now(): number {
    const now: unknown = attempt(() => this.clock.now());
    if (typeof now === 'number' && !Number.isNaN(now)) this.#now = now;
    else if (now !== undefined)
      throwLater(invalid('clock.now', 'a method that returns a number', now));
    return this.#now;
  }

  setTimeout(callback: () => void, delay: number): unknown {
    return attempt(() => this.clock.setTimeout(callback, delay));
  }

  clearTimeout(timer: unknown): void {
    attempt(() => this.clock.clearTimeout(timer));
  }
}

/** An application's `random`, which does not throw, and gives numbers from 0 to below 1. */
export function checkRandom(random: (() => number) | undefined): () => number {
  if (random === undefined || random === Math.random) return Math.random;
  checkFunction('random', random);
  return () => {
    const number: unknown = attempt(random);
    if (typeof number === 'number' && number >= 0 && number < 1) return number;
    if (number !== undefined) throwLater(invalid('random', 'a function from 0 to below 1', number));
    return 0;
  };
}

/** Milliseconds by which a timer may fire early: runtimes take whole ones. */
const maxEarliness = 2;

/**
 * The time when a timer fires that was due then. One that fires much too early does not run by the clock, as where a test
 * replaces `setTimeout` and not `performance.now`: then it counts as on time.
 */
export function dueTime(clock: Clock, due: number): number {
  const now = clock.now();
  return due - now > maxEarliness ? due : now;
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
  (timer as { unref?: () => void } | undefined)?.unref?.();
}
