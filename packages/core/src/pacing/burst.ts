/** Milliseconds from the first waiter within which requests belong to the burst. CoDel tolerates a queue for as long. */
const BURST_MS = 100;

/** Milliseconds after a long queue within which the next one belongs to the same overload. */
const CALM_MS = 1000;

/** Milliseconds for which a queue of requests that arrive at random may last without an overload. */
export const LONG_QUEUE_MS = 250;

/**
 * Recognizes the burst with which a queue begins. At first, an overload looks the same, so only the requests of its
 * first moments belong to it, and none if the last overload has just ended.
 */
export class Burst {
  #begin = -Infinity;
  #queuedAt = -Infinity;
  /** When a long queue was last empty again. */
  #overloadedAt = -Infinity;

  /** The first request waits. */
  queueingStarted(now: number): void {
    this.#queuedAt = now;
    this.#begin = now > this.#overloadedAt + CALM_MS ? now : -Infinity;
  }

  /** The queue is empty again. */
  queueingEnded(now: number): void {
    if (now > this.#queuedAt + LONG_QUEUE_MS) this.#overloadedAt = now;
  }

  /** Whether the present queue may still be one of requests that arrive at random, and does not follow an overload. */
  mayBeChance(now: number): boolean {
    return now <= this.#begin + LONG_QUEUE_MS;
  }

  /** Whether a request that arrived at this time, after the queue was last empty, belongs to the burst. */
  includes(since: number): boolean {
    return since < this.#begin + BURST_MS;
  }
}
