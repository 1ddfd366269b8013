import { isUsed, type Sample, saturatedLimit, TOLERANCE } from './limit.ts';
import { WorkHistory } from './work-history.ts';

/** Minimum rise of the limit per second, so that it reaches a hundred within seconds even if work is slow. */
const MIN_RISE_PER_SECOND = 16;

/** Maximum time in milliseconds between two finished requests that counts towards the minimum rise. */
const MAX_GAP_MS = 1000;

/** Below this fraction of the limit, the load is too light for a comparison of work. */
const MIN_LOAD = 1 / 3;

/** Earlier work is forgotten once the limit has been unused for both this time and this many mean round trips. */
const MAX_UNUSED_MS = 2000;
const MAX_UNUSED_RTTS = 20;

/** Work is compared again when this many times as much has finished. A comparison takes microseconds. */
const COMPARISON_INTERVAL = 1.05;

/**
 * The first phase of an adaptive limit: the limit rises while it is used, until work that starts later takes longer.
 *
 * It rises by the weight of each finished request, as in the slow start of TCP, and by at least 16 per second. It does
 * not wait until work has finished under each new limit: a slow service would then have nearly all its requests
 * rejected for many round trips.
 */
export class Ramp {
  /**
   * The estimated weight that can be served at once, at most the limit. Defined once an overload has ended the ramp.
   */
  capacity: number | undefined;
  #history: WorkHistory;
  /** Number of finished requests from which work is compared next. */
  #nextComparison = 0;
  #sampledAt: number | undefined;
  /** When the limit was last used. */
  #usedAt = -Infinity;

  /** @param since Work that started earlier says nothing about the present load. */
  constructor(since = -Infinity) {
    this.#history = new WorkHistory(since);
  }

  /** The work that is compared. */
  get history(): WorkHistory {
    return this.#history;
  }

  /** Whether work that started later takes longer. */
  get hasSlowedDown(): boolean {
    return this.#history.slowdown > TOLERANCE;
  }

  /** Returns the limit that applies after this sample. */
  next(sample: Sample, limit: number): number {
    const { now, rtt, inflight, weight } = sample;
    const before = this.#sampledAt ?? now - rtt;
    this.#sampledAt = now;
    // Light load is forgotten. After an hour of it, the first half of the recorded time would end long before the
    // overload.
    if (inflight < limit * MIN_LOAD) this.#forget(now);
    else {
      if (this.#isObsolete(now)) this.#forget(before);
      this.#history.add(sample);
    }
    // While the limit is not used, it cannot be the cause of a slowdown.
    if (!isUsed(saturatedLimit(sample), limit)) return limit;
    this.#usedAt = now;
    if (!this.#isExceeded()) {
      const gap = Math.min(now - before, MAX_GAP_MS);
      return limit + Math.max(weight, (gap / 1000) * MIN_RISE_PER_SECOND);
    }
    this.capacity = Math.min(this.#history.capacity, limit);
    return this.capacity;
  }

  /** Whether the limit has been unused for so long that earlier work says nothing about the present load. */
  #isObsolete(now: number): boolean {
    const { beganAt, rtt } = this.#history;
    const unused = now - Math.max(this.#usedAt, beganAt);
    return unused > Math.max(MAX_UNUSED_MS, MAX_UNUSED_RTTS * rtt);
  }

  #forget(since: number): void {
    this.#history = new WorkHistory(since);
    this.#nextComparison = 0;
  }

  #isExceeded(): boolean {
    const { count } = this.#history;
    if (count < this.#nextComparison) return false;
    this.#nextComparison = count * COMPARISON_INTERVAL;
    return this.hasSlowedDown;
  }
}
