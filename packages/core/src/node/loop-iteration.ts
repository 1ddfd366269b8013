import type { MeasuredLoop } from './event-loop.ts';

/**
 * The current iteration of the event loop. A request handled late in a long iteration has waited for those before it.
 * A timer cannot measure that, as it fires only in the next iteration.
 */
export class LoopIteration {
  /** Milliseconds since the first request of this iteration. */
  age = 0;
  /** Requests admitted in this iteration. */
  admitted = 0;
  /** Busy milliseconds of the previous iteration. */
  previousBusy = 0;
  #number: number;
  #startedAt: number;
  #idle: number;
  /** Sum of the squared lengths of the iterations since the mean was last taken. */
  #squares = 0;

  constructor(private readonly loop: MeasuredLoop) {
    this.#number = loop.iterations();
    this.#startedAt = loop.now();
    this.#idle = loop.idle();
  }

  /** Records the arrival of a request, which may be the first of an iteration. */
  note(now: number): void {
    const { loop } = this;
    const number = loop.iterations();
    this.age = now - this.#startedAt;
    if (number === this.#number) return;
    const idle = loop.idle();
    const busy = Math.max(0, this.age - (idle - this.#idle));
    // Of several iterations without a request, only the total length is known.
    this.previousBusy = busy / (number - this.#number);
    this.#squares += busy * this.previousBusy;
    this.#number = number;
    this.#startedAt = now;
    this.#idle = idle;
    this.age = 0;
    this.admitted = 0;
  }

  admit(): void {
    this.admitted++;
  }

  /**
   * Mean length of the iteration that a request arriving at a random time would meet, since the last call, in
   * milliseconds. Long iterations are met more often, so each is weighted by its length.
   */
  takeMeanLength(elapsed: number): number {
    const squares = this.#squares;
    this.#squares = 0;
    return squares / elapsed;
  }
}
