import type { Clock } from '@headgate/core';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

const MAX_DELAY = 2 ** 31 - 1;

interface VirtualClockOptions {
  /** The first time in milliseconds. Default: 1,000. */
  readonly start?: number;
  /** Returns random numbers from 0 to below 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * A clock that a test advances. The test also decides whether timers fire on time or late, and may supply the random
 * numbers.
 */
export class VirtualClock implements Clock {
  /** Sorted by due time; timers of the same time in the order in which they were set. */
  readonly #timers: Timer[] = [];
  #now: number;
  readonly random: () => number;

  constructor({ start = 1000, random = Math.random }: VirtualClockOptions = {}) {
    this.#now = start;
    this.random = random;
  }

  now(): number {
    return this.#now;
  }

  /** Number of armed timers. */
  get armed(): number {
    return this.#timers.length;
  }

  /** When the next timer is due; Infinity if none is armed. */
  get due(): number {
    return this.#timers[0]?.due ?? Number.POSITIVE_INFINITY;
  }

  /** As in Node, a delay below 1 ms or above the maximum of a timer counts as 1 ms. */
  setTimeout(callback: () => void, delay: number): Timer {
    const timer = { due: this.#now + (delay >= 1 && delay <= MAX_DELAY ? delay : 1), callback };
    let index = this.#timers.length;
    while (index > 0 && (this.#timers[index - 1] as Timer).due > timer.due) index--;
    this.#timers.splice(index, 0, timer);
    return timer;
  }

  /** Cancels the call of a timer; does nothing if the timer has fired. */
  clearTimeout(timer: unknown): void {
    const index = this.#timers.indexOf(timer as Timer);
    if (index >= 0) this.#timers.splice(index, 1);
  }

  /** Advances the time, and fires timers when they are due. Overdue ones fire first, late. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    // A callback may advance the time further with busy().
    while (this.due <= Math.max(end, this.#now)) {
      const next = this.#timers.shift() as Timer;
      this.#now = Math.max(this.#now, next.due);
      next.callback();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Advances the time as a blocked event loop does: no timer fires. */
  busy(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
