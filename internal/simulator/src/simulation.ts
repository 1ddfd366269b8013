import { type Clock, createLimiter, type LimiterOptions, type LocalLimiter } from '@headgate/core';
import TinyQueue from 'tinyqueue';
import { randomFrom } from './random.ts';

interface Event {
  readonly at: number;
  /** Events due at the same time run in the order in which they were set. */
  readonly order: number;
  callback: (() => void) | undefined;
}

/** A virtual clock that runs as fast as its events can be computed. Deterministic for a given seed. */
export class Simulation implements Clock {
  readonly #events = new TinyQueue<Event>([], (one, other) =>
    one.at === other.at ? one.order - other.order : one.at - other.at,
  );
  #now = 0;
  #order = 0;
  readonly random: () => number;

  constructor(seed = 1) {
    this.random = randomFrom(seed);
  }

  now(): number {
    return this.#now;
  }

  /** When the next event is due; Infinity if there is none. */
  get due(): number {
    return this.#events.peek()?.at ?? Infinity;
  }

  setTimeout(callback: () => void, delay: number): Event {
    const event = { at: this.#now + Math.max(0, delay), order: ++this.#order, callback };
    this.#events.push(event);
    return event;
  }

  clearTimeout(timer: unknown): void {
    if (timer !== undefined) (timer as Event).callback = undefined;
  }

  /** Creates a limiter that uses this clock. It has no queue, unless the options set one. */
  limiter(options: Omit<LimiterOptions, 'clock'>): LocalLimiter {
    return createLimiter({ queueLimit: 0, ...options, clock: this });
  }

  /** Advances the time to `until`, in milliseconds, and runs the events due by then. */
  runUntil(until: number): void {
    for (let next = this.#events.peek(); next !== undefined && next.at <= until; ) {
      this.#events.pop();
      this.#now = next.at;
      next.callback?.();
      next = this.#events.peek();
    }
    this.#now = until;
  }
}
