import { checkMethods } from './checks.ts';
import { outsideRequest } from './outside-request.ts';

/**
 * Provides time, timers and random numbers. Its timers run outside of any request, and no method throws. Tests and
 * simulations supply their own.
 */
export interface Clock {
  /** Milliseconds from any origin; never goes back. */
  now(): number;
  /** Calls `callback` once, after `delay` milliseconds; returns a handle for `clearTimeout`. */
  setTimeout(callback: () => void, delay: number): unknown;
  /** Cancels the call of a timer; does nothing if the timer has fired. */
  clearTimeout(timer: unknown): void;
  /**
   * Random numbers from 0 to below 1: for the jitter of `Retry-After`, and the secret seed of `fair()`, which clients
   * must not be able to guess. Default: `Math.random`.
   */
  random?(): number;
}

/** Read once: in Node, reading the global `performance` takes a third as long as reading the time from it. */
const { performance: ownPerformance, setTimeout: ownSetTimeout } = globalThis;

/**
 * `performance.now()`, which is immune to changes of the wall clock, and the runtime's own timers. Fake timers of a
 * test replace the globals: if `setTimeout` was replaced, `performance` is read again.
 */
export const systemClock: Clock = {
  now: () => (setTimeout === ownSetTimeout ? ownPerformance : performance).now(),
  setTimeout: (callback, delay) => outsideRequest(setTimeout, callback, delay),
  clearTimeout: (timer) => clearTimeout(timer as number),
  random: () => Math.random(),
};

export function checkClock(clock: Clock = systemClock): Clock {
  checkMethods('clock', clock, ['now', 'setTimeout', 'clearTimeout']);
  return checkMethods('clock', clock, ['random'], true);
}

/** Milliseconds by which a timer may fire early, since runtimes round to whole milliseconds. */
const MAX_EARLINESS = 2;

/**
 * Returns the current time in the callback of a timer that was due at `due`. If the timer fires much too early, time
 * and timers come from different clocks (a test has replaced `setTimeout` but not `performance.now`), and the timer
 * counts as on time.
 */
function dueTime(clock: Clock, due: number): number {
  const now = clock.now();
  return due - now > MAX_EARLINESS ? due : now;
}

/** Maximum delay of a timer in milliseconds. Longer timers fire immediately, in Node and in browsers. */
export const maxTimer = 2 ** 31 - 1;

/**
 * Calls `callback` after `delay` milliseconds, or never if that exceeds the maximum of a timer. Returns a function that
 * cancels it. A `background` timer does not keep the process alive.
 */
export function startTimer(
  clock: Clock,
  delay: number,
  callback: () => void,
  background = false,
): () => void {
  if (delay > maxTimer) return () => {};
  const timer = clock.setTimeout(callback, delay);
  // Lets the process exit although the timer is pending.
  if (background) (timer as { unref?: () => void } | undefined)?.unref?.();
  return () => clock.clearTimeout(timer);
}

/** Calls back at the earliest of many deadlines. */
export class Alarm {
  /** When the timer is due; Infinity if it is not set. */
  #due = Infinity;
  #cancel = () => {};
  /** The `setTimeout` that set the timer. If a test has since removed its fake timers, the timer will never fire. */
  #timers: unknown;

  constructor(
    private readonly clock: Clock,
    /** Must set the alarm again if there are other deadlines. It may be called before the deadline. */
    private readonly ring: (now: number) => void,
    private readonly background = false,
  ) {}

  /** Makes the alarm call back no later than at the deadline. */
  set(deadline: number, now: number): void {
    if (this.#timers !== setTimeout) this.clear();
    if (deadline >= this.#due) return;
    this.clear();
    this.#timers = setTimeout;
    this.#due = Math.min(deadline, now + maxTimer);
    const delay = Math.max(this.#due - now, 0);
    this.#cancel = startTimer(this.clock, delay, () => this.#fire(), this.background);
  }

  clear(): void {
    if (this.#due === Infinity) return;
    this.#cancel();
    this.#due = Infinity;
  }

  #fire(): void {
    const now = dueTime(this.clock, this.#due);
    this.#due = Infinity;
    this.ring(now);
  }
}
