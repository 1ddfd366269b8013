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
 * How many processes hold or await permits of each distributed limit. Queries only a few stores at a time. The page
 * does not wait for them, but shows what is known.
 */
export class Processes {
  readonly #queries = new WeakMap<Limiter, LimitQuery>();

  constructor(private readonly clock: Clock) {}

  /**
   * The number of processes. Undefined if it is not known yet, if the store has failed, or if it does not count
   * processes.
   */
  of(limiter: Limiter): number | undefined {
    return this.#queries.get(limiter)?.processes;
  }

  /** Queries the stores for the limits whose latest query is the oldest. */
  query(limiters: Iterable<Limiter>): void {
    const now = this.clock.now();
    const due = [...new Set(limiters)].filter((limiter) => this.#isDue(limiter, now));
    due.sort((one, other) => this.#queriedAt(one) - this.#queriedAt(other));
    for (const limiter of due.slice(0, MAX_QUERIES)) void this.#queryStore(limiter, now);
  }

  #queriedAt(limiter: Limiter): number {
    return this.#queries.get(limiter)?.queriedAt ?? -Infinity;
  }

  /** Not for keyed limits: in the store, each key has its own number, and the page does not show keys. */
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
