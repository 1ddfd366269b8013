import type { Clock } from '../clock.ts';

/** Seconds. */
const MAX_BACKOFF = 32;

/** Maximum of `Retry-After`. Longer values are pointless: clients would give up. */
const MAX_SECONDS = 60;

/** Maximum random addition to the estimate, as a fraction of it. */
const JITTER = 0.5;

/**
 * Estimates when to retry from the number of recent rejections. The estimate doubles while many requests are rejected,
 * falls while few are, and resets after a period without rejections. After Kubernetes' dropped-requests tracker
 * (apiserver, flow control). Evaluated at the first rejection of each second.
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

/** Computes `Retry-After` for one limit, or for one of its keys. */
export class RetryAfter {
  readonly #backoff = new Backoff();

  constructor(private readonly clock: Pick<Clock, 'random'>) {}

  /**
   * Returns the backoff or, if that is longer, the expected wait, in whole seconds. Adds a random time, so that clients
   * do not all retry at once.
   *
   * @param wait Expected wait in milliseconds; 0 if unknown.
   */
  seconds(now: number, wait = 0): number {
    const backoff = this.#backoff.rejected(Math.floor(now / 1000));
    const base = Math.min(
      Math.max(backoff, Math.ceil(wait / 1000)),
      Math.ceil(MAX_SECONDS / (1 + JITTER)),
    );
    const spread = Math.min(Math.ceil(base * JITTER), MAX_SECONDS - base);
    return base + Math.floor((this.clock.random?.() ?? Math.random()) * (spread + 1));
  }
}
