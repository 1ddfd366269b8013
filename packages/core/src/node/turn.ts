import type { EventLoop } from './event-loop.ts';

/**
 * The present turn of the event loop, as far as requests are concerned. Those that have come are parsed and handled one
 * after another: who is late in a long turn has waited for it, which no timer has been able to tell.
 */
export class Turn {
  /** Milliseconds since the first request of this turn. */
  age = 0;
  /** Requests that were let in in this turn, counted by the guard. */
  admitted = 0;
  /** Milliseconds for which the turn before this one has kept the loop busy. */
  before = 0;
  #number: number;
  #startedAt: number;
  #idle: number;
  /** Of the turns since it was last read. */
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

  /**
   * The mean length of the turn into which somebody falls who comes at some moment of this time, in milliseconds. A turn of
   * ten times the length is met ten times as often: each counts by its length.
   */
  met(elapsed: number): number {
    const squares = this.#squares;
    this.#squares = 0;
    return squares / elapsed;
  }
}
