import { checkMethods, isNumber } from '../checks.ts';
import { invalid, throwLater } from '../errors.ts';
import { readStats } from '../read-or-warn.ts';
import type { Limit, Sample } from './limit.ts';
import { Stall } from './stall.ts';

/** Passes finished work to an adaptive limit, and applies the limit's changes. */
export class LimitUpdater {
  /** Weight of requests that hold a permit but do no work, since they are queued at a later limit of their gate. */
  idle = 0;
  /** Weight of requests that `mark` has judged already, and that still hold their permits. */
  judged = 0;
  readonly initial: number;
  /** Work admitted earlier is not passed on, since it ran under a limit that was set; Infinity while one applies. */
  #validFrom = -Infinity;
  #isReported = false;
  readonly #stall = new Stall();

  /** @throws HeadgateError for a limit that is not a number. */
  constructor(
    private readonly algorithm: Limit,
    private readonly target: { readonly limit: number; resize(limit: number): void },
  ) {
    checkMethods('limit.create()', algorithm, ['sample']);
    if (!isNumber(algorithm.limit)) throw unusable(algorithm.limit);
    this.initial = whole(algorithm.limit);
  }

  /** What the algorithm knows: milliseconds that work takes without load, and why the limit last changed. */
  stats(): { baseline: number | undefined; limitReason: string | undefined } {
    const read = (): Record<'baseline' | 'reason', unknown> => {
      const { baseline, reason } = this.algorithm;
      return { baseline, reason };
    };
    const { baseline, reason } = readStats(this, 'a limit algorithm', read) ?? {};
    return {
      baseline: isNumber(baseline) ? baseline : undefined,
      limitReason: typeof reason === 'string' && !this.isHeld ? reason : undefined,
    };
  }

  /** Whether the limit was set, so that the algorithm does not change it. */
  get isHeld(): boolean {
    return this.#validFrom === Infinity;
  }

  /** @param delay Milliseconds for which the work may have been done before the event loop came to it. */
  sample(sample: Sample, delay = 0): void {
    const { now } = sample;
    // Negative if the clock was set back, as by fake timers: its logarithm would not be a number.
    if (now - sample.rtt < this.#validFrom || sample.rtt < 0) return;
    const rtt = this.#withoutDelay(sample.rtt, delay);
    this.#stall.finished(rtt);
    this.#update(() => this.algorithm.sample(rtt === sample.rtt ? sample : { ...sample, rtt }));
  }

  /**
   * The round trip without the delay, which a lower limit would not shorten. It does not become shorter than the
   * baseline: less delay would then look like an overload. Only the default limit has a delay, whose algorithm is
   * `adaptive()`, so the baseline need not be checked.
   */
  #withoutDelay(rtt: number, delay: number): number {
    const baseline = delay > 0 ? this.algorithm.baseline : undefined;
    return baseline === undefined ? rtt : Math.max(rtt - delay, Math.min(rtt, baseline));
  }

  hold(): void {
    this.#validFrom = Infinity;
  }

  /** Lets the algorithm continue from its own value of the limit, which applies at once. */
  adapt(now: number): void {
    this.#validFrom = Math.min(this.#validFrom, now);
    this.#update(() => {});
  }

  /** This weight, in flight since `since`, has left. */
  left(since: number, weight: number): void {
    this.#stall.left(since, weight);
  }

  /** A request is queued. */
  queued(now: number, inflight: number): void {
    this.#stall.queued(now, inflight - this.judged);
  }

  /** A request has been rejected for lack of room. */
  rejected(now: number, inflight: number): void {
    const stuck = this.#stall.rejected(now, inflight - this.judged, this.idle);
    if (stuck === 0 || this.isHeld) return;
    this.#update(() => this.algorithm.stalled?.(now, stuck + this.judged));
  }

  /** The application may have written the algorithm, so an error in it must not prevent the release of the permit. */
  #update(change: () => void): void {
    try {
      change();
      // The algorithm may have called `setLimit`.
      if (this.isHeld) return;
      const { limit } = this.algorithm;
      if (isNumber(limit)) this.#apply(whole(limit));
      else if (!this.#isReported) {
        this.#isReported = true;
        throw unusable(limit);
      }
    } catch (error) {
      throwLater(error);
    }
  }

  #apply(limit: number): void {
    if (limit !== this.target.limit) this.target.resize(limit);
  }
}

function whole(limit: number): number {
  return Math.max(1, Math.floor(limit));
}

function unusable(limit: unknown) {
  return invalid('limit', 'a number in the object that its `create` returns', limit);
}
