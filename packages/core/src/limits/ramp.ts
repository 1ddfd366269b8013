import { isUsed, type Sample, saturatedLimit, TOLERANCE } from './limit.ts';
import { WorkHistory } from './work-history.ts';

/** By how much the limit rises per second at least, so that it reaches a hundred within seconds for slow work. */
const MIN_RISE_PER_SECOND = 16;

/** Maximum milliseconds without finished work that count towards this rise. */
const MAX_GAP_MS = 1000;

/** Below this fraction of the limit, the load is too light to compare work. */
const MIN_LOAD = 1 / 3;

/** Work is forgotten once the limit has been unused for both of these: milliseconds, and mean round trips. */
const MAX_UNUSED_MS = 2000;
const MAX_UNUSED_RTTS = 20;

/** Work is compared again when the finished work has grown by this factor: that takes microseconds. */
const COMPARISON_INTERVAL = 1.05;

/**
 * The part of the estimated capacity that is used at first. The estimate may be twice the capacity, since the first work
 * also takes longer if all work shares a processor.
 */
const SAFE_PART = 0.6;

/**
 * The first phase of an adaptive limit: it rises as far as it is used, until work that starts later takes longer.
 *
 * It does not wait until work has finished under each limit, which would reject nearly all requests to a slow service
 * for many round trips. It rises by the weight of each finished request, as in the slow start of TCP, and by 16 per second
 * at least.
 */
export class Ramp {
  /** After an overload, the weight that can be served at once: an estimate, at most the limit. The ramp has ended then. */
  capacity: number | undefined;
  #history: WorkHistory;
  /** Amount of finished work at which it is compared next. */
  #nextComparison = 0;
  #sampledAt: number | undefined;
  /** When the limit was last used. */
  #usedAt = -Infinity;

  /** @param since Work that started before says nothing about the present load. */
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
    // After an hour of light load, the first half of the time would end long before the overload.
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
    return this.capacity * SAFE_PART;
  }

  /** Whether the limit has not been used for so long that this work says nothing about the present load. */
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
