import type { Clock, Limiter } from '@headgate/core';

/** Milliseconds between two queries of one limit. */
const INTERVAL_MS = 5_000;

/** Maximum number of queries per sample. */
const MAX_QUERIES = 10;

/** What is known of one limit. */
interface Known {
  processes: number | undefined;
  /** When it was queried last. */
  at: number;
  isQueried: boolean;
}

/**
 * How many processes hold or await permits of each distributed limit. Stores are queried a few at a time, and the page
 * does not wait for them: it shows what is known.
 */
export class Processes {
  readonly #known = new WeakMap<Limiter, Known>();

  constructor(private readonly clock: Clock) {}

  /** Undefined if it is not known: not yet, since the store fails, or since it does not count processes. */
  of(limiter: Limiter): number | undefined {
    return this.#known.get(limiter)?.processes;
  }

  /** Queries the stores of those limits that were not queried for the longest time. */
  query(limiters: Iterable<Limiter>): void {
    const now = this.clock.now();
    const due = [...new Set(limiters)].filter((limiter) => this.#isDue(limiter, now));
    due.sort((one, other) => this.#queriedAt(one) - this.#queriedAt(other));
    for (const limiter of due.slice(0, MAX_QUERIES)) void this.#ask(limiter, now);
  }

  #queriedAt(limiter: Limiter): number {
    return this.#known.get(limiter)?.at ?? -Infinity;
  }

  /** The keys of a limit per key are limits of their own, which the page does not show. */
  #isDue(limiter: Limiter, now: number): boolean {
    if (limiter.storeStats === undefined || limiter.perKey || limiter.closed) return false;
    const isQueried = this.#known.get(limiter)?.isQueried === true;
    return !isQueried && now - this.#queriedAt(limiter) >= INTERVAL_MS;
  }

  async #ask(limiter: Limiter, at: number): Promise<void> {
    const known = this.#known.get(limiter) ?? { processes: undefined, at, isQueried: false };
    this.#known.set(limiter, known);
    known.at = at;
    known.isQueried = true;
    try {
      known.processes = (await limiter.storeStats?.())?.processes;
    } catch {
      // The page shows that the store is unavailable.
      known.processes = undefined;
    }
    known.isQueried = false;
  }
}
