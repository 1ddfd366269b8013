import type { Clock } from '@headgate/core';

/** A clock that only the test advances. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Map<number, { at: number; callback: () => void }>();
  #lastId = 0;
  /** The longest delay of all timers so far. */
  longest = 0;

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, delay: number): number {
    this.longest = Math.max(this.longest, delay);
    this.#timers.set(++this.#lastId, { at: this.#now + delay, callback });
    return this.#lastId;
  }

  clearTimeout(id: unknown): void {
    this.#timers.delete(id as number);
  }

  /** Advances the time and runs the timers that become due, in order. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [first] = [...this.#timers].sort(([, a], [, b]) => a.at - b.at);
      if (first === undefined || first[1].at > end) break;
      this.#timers.delete(first[0]);
      this.#now = Math.max(this.#now, first[1].at);
      first[1].callback();
    }
    this.#now = end;
  }
}
