/** Milliseconds until the first repetition. Doubled after each failure. */
const INITIAL_PAUSE = 25;

/**
 * The pauses between attempts to reach a server. Each is random, from half of its length on, so that processes that
 * have lost the server together do not return together.
 */
export class Backoff {
  #pause = 0;

  /** @param random Returns numbers from 0 to below 1. */
  constructor(private readonly random: () => number = Math.random) {}

  /** Milliseconds until the next attempt, at most `max`. */
  next(max: number): number {
    this.#pause = Math.min(Math.max(2 * this.#pause, INITIAL_PAUSE), max);
    return this.#pause * (0.5 + this.random() / 2);
  }

  /** Called when the server has been reached. */
  reset(): void {
    this.#pause = 0;
  }
}
