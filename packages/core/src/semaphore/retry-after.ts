/** Seconds. */
const MAX_BACKOFF = 32;

/** How far the result may exceed the estimate, as a fraction of it. */
const JITTER = 0.5;

/**
 * Milliseconds over which the release rate is measured: short enough to follow changes, long enough for slow
 * releases.
 */
const MEASURING_INTERVAL = 5000;

/**
 * Estimates when to retry from the number of recent rejections: doubles while many requests are rejected, decreases
 * while few are. After Kubernetes' dropped-requests tracker (apiserver, flow control), evaluated at the first
 * rejection of a second over the seconds before it; reset after a period without rejections.
 */
export class Backoff {
  #seconds = 1;
  #raisedAt = -Infinity;
  #rejections: { second: number; count: number }[] = [];

  /** Counts a rejection in the given second; returns after how many seconds to retry. */
  rejected(second: number): number {
    const latest = this.#rejections.at(-1);
    if (latest?.second === second) {
      latest.count++;
      return this.#seconds;
    }
    if (latest !== undefined && second - latest.second > 2 * this.#seconds) {
      this.#seconds = 1;
      this.#rejections = [];
    }
    this.#adjust(second);
    this.#rejections.push({ second, count: 1 });
    return this.#seconds;
  }

  #adjust(second: number): void {
    const from = second - this.#seconds;
    this.#rejections = this.#rejections.filter((past) => past.second >= second - MAX_BACKOFF);
    let recent = 0;
    for (const past of this.#rejections) if (past.second >= from) recent += past.count;
    if (recent >= 3 * this.#seconds && second - this.#raisedAt >= this.#seconds) {
      this.#seconds = Math.min(2 * this.#seconds, MAX_BACKOFF);
      this.#raisedAt = second;
    } else if (recent < this.#seconds) this.#seconds = Math.max(1, this.#seconds - 1);
  }
}

/**
 * Milliseconds that must have been measured before the rate is estimated. Right after the first rejection, few or no
 * releases have been counted, so the estimate would be far too long.
 */
const MIN_MEASURED = 1000;

interface Mark {
  at: number;
  /** Total weight ever released. */
  returned: number;
}

/**
 * Estimates when there will be room, by Little's law: the queued weight divided by the rate at which weight is
 * released. The rate is measured over the last one or two intervals. A mean over all time would be useless: one event
 * stream may last for days.
 */
export class WaitEstimate {
  #newer: Mark = { at: -Infinity, returned: 0 };
  #older = this.#newer;

  /** Milliseconds until `weight` is expected to have been released; 0 while the rate is unknown. */
  wait(now: number, weight: number, returned: number): number {
    const age = now - this.#newer.at;
    if (age >= MEASURING_INTERVAL) {
      const mark = { at: now, returned };
      this.#older = age > 2 * MEASURING_INTERVAL ? mark : this.#newer;
      this.#newer = mark;
    }
    const measured = now - this.#older.at;
    if (measured < MIN_MEASURED) return 0;
    return (weight * measured) / Math.max(1, returned - this.#older.returned);
  }
}

/** Computes `Retry-After` for one limit, or for one of its keys. */
export class RetryAfter {
  readonly #backoff = new Backoff();
  readonly #estimate = new WaitEstimate();

  constructor(
    private readonly maxSeconds: number,
    private readonly random: () => number,
  ) {}

  /** Whole seconds: the larger of the two estimates, randomized upwards so that clients do not all retry at once. */
  seconds(now: number, weightAhead: number, returned: number): number {
    const backoff = this.#backoff.rejected(Math.floor(now / 1000));
    const estimate = Math.ceil(this.#estimate.wait(now, weightAhead, returned) / 1000);
    const base = Math.min(Math.max(backoff, estimate), Math.ceil(this.maxSeconds / (1 + JITTER)));
    const spread = Math.min(Math.ceil(base * JITTER), this.maxSeconds - base);
    return base + Math.floor(this.random() * (spread + 1));
  }
}
