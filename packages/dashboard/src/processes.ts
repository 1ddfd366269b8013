import type { Clock, Limiter } from '@headgate/core';

/** Milliseconds between two queries of one limit. */
const INTERVAL_MS = 5_000;

/** Maximum number of queries per sample. */
const MAX_QUERIES = 10;

/** The latest query of one limit. */
interface LimitQuery {
  processes: number | undefined;
  /** When it was queried last. */
  queriedAt: number;
  /** Whether the store has not answered yet. */
  isPending: boolean;
}

/**
 * How many processes hold or await permits of each distributed limit. Stores are queried a few at a time, and the page
 * does not wait for them: it shows what is known.
 */
export class Processes {
  readonly #queries = new WeakMap<Limiter, LimitQuery>();

  constructor(private readonly clock: Clock) {}

  /** Undefined if it is not known: not yet, since the store fails, or since it does not count processes. */
  of(limiter: Limiter): number | undefined {
    return this.#queries.get(limiter)?.processes;
  }

  /** Queries the stores of those limits that were not queried for the longest time. */
  query(limiters: Iterable<Limiter>): void {
    const now = this.clock.now();
    const due = [...new Set(limiters)].filter((limiter) => this.#isDue(limiter, now));
    due.sort((one, other) => this.#queriedAt(one) - this.#queriedAt(other));
    for (const limiter of due.slice(0, MAX_QUERIES)) void this.#queryStore(limiter, now);
  }

  #queriedAt(limiter: Limiter): number {
    return this.#queries.get(limiter)?.queriedAt ?? -Infinity;
  }

  /** The keys of a limit per key are limits of their own, which the page does not show. */
  #isDue(limiter: Limiter, now: number): boolean {
    if (limiter.storeStats === undefined || limiter.perKey || limiter.closed) return false;
    const isPending = this.#queries.get(limiter)?.isPending === true;
    return !isPending && now - this.#queriedAt(limiter) >= INTERVAL_MS;
  }

  async #queryStore(limiter: Limiter, queriedAt: number): Promise<void> {
    const query = this.#queries.get(limiter) ?? {
      processes: undefined,
      queriedAt,
      isPending: false,
    };
    this.#queries.set(limiter, query);
    query.queriedAt = queriedAt;
    query.isPending = true;
    try {
      query.processes = (await limiter.storeStats?.())?.processes;
    } catch {
      // The page shows that the store is unavailable.
      query.processes = undefined;
    }
    query.isPending = false;
  }
}
