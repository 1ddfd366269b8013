import type { Clock } from '../clock.ts';

/** Maximum of `Retry-After` in milliseconds, apart from a pause. Longer values are pointless: clients would give up. */
const MAX_WAIT_MS = 60_000;

/** Minimum time in milliseconds for which admissions are counted. */
const MIN_MEASURED_MS = 1000;

/** Milliseconds between two admissions that are assumed before the first measurement. */
const ASSUMED_GAP_MS = 1;

/** Minimum length of the random period. More than a second, since `Retry-After` is in whole seconds. */
const MIN_PERIOD_MS = 2000;

/**
 * Computes `Retry-After` for one limit, one of its keys or one gate. Schedules the returns of rejected clients as far
 * apart as requests are admitted, so clients that obey neither return together nor leave the limit unused.
 */
export class RetryAfter {
  /** The time scheduled for the client that was rejected last. */
  #scheduledUntil = -Infinity;
  /** Milliseconds between two admissions. */
  #gap = ASSUMED_GAP_MS;
  #measuredAt = Infinity;
  /** Number of requests admitted until `#measuredAt`. */
  #admitted = 0;

  constructor(private readonly clock: Pick<Clock, 'random'>) {}

  /**
   * Schedules the return of one more rejected client. Returns in how many seconds: a whole number from 1, and at most 60
   * more than what is left of the pause.
   *
   * @param admitted Number of requests ever admitted.
   * @param pauseLeft Milliseconds until requests are admitted again. No client returns earlier.
   */
  seconds(now: number, admitted: number, pauseLeft = 0): number {
    this.#measure(now, admitted);
    const latest = pauseLeft + MAX_WAIT_MS;
    const next = Math.max(this.#scheduledUntil - now, pauseLeft) + this.#gap;
    const wait = Math.min(next, latest);
    this.#scheduledUntil = now + wait;
    // From half to one and a half of the wait. With less, clients rejected together would return together, in whole
    // seconds.
    const from = (pauseLeft + wait) / 2;
    const period = Math.min(wait - pauseLeft + MIN_PERIOD_MS, latest - from);
    const random = this.clock.random?.() ?? Math.random();
    return Math.ceil((from + random * period) / 1000);
  }

  #measure(now: number, admitted: number): void {
    const elapsed = now - this.#measuredAt;
    const count = admitted - this.#admitted;
    // Without rejections, the number of admitted requests does not show how many could have been admitted.
    const isOutdated = elapsed > Math.max(2 * MIN_MEASURED_MS, 10 * this.#gap);
    // The clock may also have been set back.
    if (isOutdated || elapsed < 0) {
      this.#scheduledUntil = -Infinity;
      this.#gap = ASSUMED_GAP_MS;
    } else if (elapsed < Math.max(MIN_MEASURED_MS, this.#gap)) return;
    // While nothing is admitted, as when a dependency hangs, the earlier rate is the best estimate.
    else if (count > 0) this.#gap = elapsed / count;
    this.#measuredAt = now;
    this.#admitted = admitted;
  }
}
