import type { Clock } from '../src/clock.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

const longest = 2 ** 31 - 1;

/** A clock that stands still until it is told to go. Its timers are as late or as punctual as the test wants. */
export class VirtualClock implements Clock {
  /** The first to fire first; of those due at once, in the order in which they were set. */
  readonly #timers: Timer[] = [];
  #now: number;

  constructor(start = 1000) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** How many timers are armed. */
  get armed(): number {
    return this.#timers.length;
  }

  /** When the next timer is due; Infinity where none is armed. */
  get due(): number {
    return this.#timers[0]?.due ?? Number.POSITIVE_INFINITY;
  }

  /** As Node's: what is below 1 ms or too long for a timer counts as 1 ms. */
  setTimeout(callback: () => void, delay: number): Timer {
    const timer = { due: this.#now + (delay >= 1 && delay <= longest ? delay : 1), callback };
    let index = this.#timers.length;
    while (index > 0 && (this.#timers[index - 1] as Timer).due > timer.due) index--;
    this.#timers.splice(index, 0, timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    const index = this.#timers.indexOf(timer as Timer);
    if (index >= 0) this.#timers.splice(index, 1);
  }

  /** Time passes and timers fire when they are due; those that are overdue fire first, late. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    // A callback may be busy for longer than that.
    while (this.due <= Math.max(end, this.#now)) {
      const next = this.#timers.shift() as Timer;
      this.#now = Math.max(this.#now, next.due);
      next.callback();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Time passes while the event loop is blocked: no timer fires. */
  busy(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
