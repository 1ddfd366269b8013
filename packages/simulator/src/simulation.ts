import { type Clock, createLimiter, type LimiterOptions, type LocalLimiter } from '@headgate/core';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import TinyQueue from 'tinyqueue';

interface Event {
  readonly at: number;
  /** Those due at once come in the order in which they were set. */
  readonly order: number;
  callback: (() => void) | undefined;
}

/** Time that passes as fast as the machine can compute what happens in it. The same seed gives the same run. */
export class Simulation implements Clock {
  readonly #events = new TinyQueue<Event>([], (one, other) =>
    one.at === other.at ? one.order - other.order : one.at - other.at,
  );
  readonly #generator;
  #now = 0;
  #order = 0;

  constructor(seed = 1) {
    this.#generator = xoroshiro128plus(seed);
  }

  now(): number {
    return this.#now;
  }

  /** From 0 to below 1. */
  readonly random = (): number => uniformFloat64(this.#generator);

  setTimeout(callback: () => void, delay: number): Event {
    const event = { at: this.#now + Math.max(0, delay), order: ++this.#order, callback };
    this.#events.push(event);
    return event;
  }

  clearTimeout(timer: unknown): void {
    if (timer !== undefined) (timer as Event).callback = undefined;
  }

  /** One that lives by this clock. */
  limiter(options: Omit<LimiterOptions, 'clock' | 'random'>): LocalLimiter {
    return createLimiter({ ...options, clock: this, random: this.random });
  }

  /** Lets time pass until then, in milliseconds. */
  run(until: number): void {
    for (let next = this.#events.peek(); next !== undefined && next.at <= until; ) {
      this.#events.pop();
      this.#now = next.at;
      next.callback?.();
      next = this.#events.peek();
    }
    this.#now = until;
  }
}
