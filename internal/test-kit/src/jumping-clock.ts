import type { Clock } from '@headgate/core';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** More timers than a test needs: one that is set again and again for the same time would never end. */
const MAX_TIMERS = 10_000;

/** A clock that jumps exactly to its next timer, however short the delay. */
export class JumpingClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now: number;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, delay: number): Timer {
    const timer = { at: this.#now + delay, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  /** Fires the next timer. Returns whether there was one. */
  next(): boolean {
    const [first] = [...this.#timers].sort((a, b) => a.at - b.at);
    if (first === undefined) return false;
    this.#timers.delete(first);
    this.#now = first.at;
    first.callback();
    return true;
  }

  /** Fires all timers. */
  run(): void {
    for (let fired = 0; this.next(); fired++)
      if (fired > MAX_TIMERS) throw new Error(`timers keep firing at ${this.#now}`);
  }
}
