import type { EventLoop } from './event-loop.ts';

/**
 * The present turn of the event loop, as far as requests are concerned. A request handled late in a long turn has waited for
 * those before it. A timer cannot tell: it fires only in the next turn.
 */
export class Turn {
  /** Milliseconds since the first request of this turn. */
  age = 0;
  /** Requests that were let in in this turn. */
  admitted = 0;
  /** Milliseconds for which the turn before this one has kept the loop busy. */
  before = 0;
  #number: number;
  #startedAt: number;
  #idle: number;
  /** Of the turns since the mean length was last taken. */
  #squares = 0;

  constructor(private readonly loop: EventLoop) {
    this.#number = loop.turns();
    this.#startedAt = loop.now();
    this.#idle = loop.idle();
  }

  /** A request has come now, perhaps as the first of a turn. */
  note(now: number): void {
    const { loop } = this;
    const number = loop.turns();
    this.age = now - this.#startedAt;
    if (number === this.#number) return;
    const idle = loop.idle();
    const busy = Math.max(0, this.age - (idle - this.#idle));
    // Of several turns without a request only the sum is known.
    this.before = busy / (number - this.#number);
    this.#squares += busy * this.before;
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
   * Mean length of the turn that a request arriving at random would meet, since the last call; all in milliseconds. Long turns
   * are met more often, so each counts by its length.
   */
  takeMeanLength(elapsed: number): number {
    const squares = this.#squares;
    this.#squares = 0;
    return squares / elapsed;
  }
}
