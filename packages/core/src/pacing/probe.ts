import type { EventLoop } from './event-loop.ts';
import { FadingMaximum } from './fading-maximum.ts';
import { type Measured, Measurement } from './measurement.ts';
import type { WorkCost } from './work-cost.ts';

/** Requests in flight during a probe, as a multiple of those before. With fewer than the minimum, it is inconclusive. */
const FACTOR = 2.5;
const MIN_FACTOR = 1.5;

/** Other work is found if finished requests grow by at least this fraction of the growth of requests in flight. */
const MIN_GAIN = 0.3;

/** Mean number of requests in flight below which more in flight hardly delay them. */
const FEW_INFLIGHT = 1.5;

/** Requests that compute at a stretch cause an iteration of the loop that takes at least this fraction of their cost. */
const MIN_STRETCH = 0.8;

/** If fewer requests finish than this fraction of the highest recent rate, others may be held back for no reason. */
const LOW_RATE = 0.75;

/** Time constant at which the highest rate is forgotten, in milliseconds. */
const RATE_DECAY_MS = 20_000;

/** Fraction of the time for which a busy loop may be idle. */
const MAX_IDLE = 0.1;

/** Fraction of the time for which the loop is idle once other work has ended. */
const MIN_IDLE_AFTERWARDS = 0.3;

/** Maximum milliseconds for which a probe waits until requests that were in flight before have finished. */
const MAX_SETTLING_MS = 3000;

/** Milliseconds until the next probe after an inconclusive one. */
const INCONCLUSIVE_PAUSE_MS = 1000;

/** Milliseconds until the next probe after one that has found no other work: doubled each time, up to the maximum. */
const MIN_PAUSE_MS = 4000;
const MAX_PAUSE_MS = 32_000;

/**
 * Detects other work that keeps the loop busy, such as a batch job that yields with `setImmediate`. The measured cost of a
 * request includes that work, so it can hold requests back for no reason. A probe briefly allows more requests in flight:
 * if requests keep the loop busy, no more of them finish; if other work does, more finish. BBR probes for bandwidth in the
 * same way (Cardwell et al., BBR: Congestion-Based Congestion Control, 2016).
 */
export class Probe {
  /** Whether other work has been found to keep the loop busy. */
  hasFoundOtherWork = false;
  /** Number of requests that a running probe allows in flight; 0 if none is running. */
  inflight = 0;
  readonly #measurement: Measurement;
  /** What was measured before the running probe. */
  #baseline: Measured | undefined;
  /** When the requests that were in flight before a probe have finished, so that its measurement starts. */
  #settledAt: number | undefined;
  readonly #highestRate = new FadingMaximum(RATE_DECAY_MS);
  /** Whether the rate was low in the last measurement. */
  #wasLow = false;
  #pause = MIN_PAUSE_MS;
  #pausedUntil = -Infinity;

  constructor(
    loop: EventLoop,
    private readonly cost: WorkCost,
  ) {
    this.#measurement = new Measurement(loop, cost);
  }

  /**
   * Starts and ends probes. If one has just found other work, returns the duration of a request in milliseconds.
   *
   * @param areHeldBack Whether the allowance is used up.
   * @param isSmall Whether the allowance is so small that a probe delays requests little.
   */
  update(now: number, areHeldBack: boolean, isSmall: boolean): number | undefined {
    const measurement = this.#measurement;
    if (this.#settledAt !== undefined) {
      if (now < this.#settledAt) return undefined;
      this.#settledAt = undefined;
      measurement.restart(now);
    }
    measurement.note(now, areHeldBack);
    if (!measurement.isComplete(now)) return undefined;
    const measured = measurement.result(now);
    measurement.restart(now);
    if (measured.idle > MIN_IDLE_AFTERWARDS) this.hasFoundOtherWork = false;
    if (this.#baseline !== undefined) return this.#finish(now, this.#baseline, measured);
    const isSuggested = this.#suggestsOtherWork(now, measured, isSmall);
    if (isSuggested && now >= this.#pausedUntil && !this.cost.isCold) this.#start(now, measured);
    return undefined;
  }

  #suggestsOtherWork(now: number, measured: Measured, isSmall: boolean): boolean {
    const { finished, rate, inflight, idle, longest, wereHeldBack } = measured;
    const wasLow = this.#wasLow;
    this.#wasLow = rate < LOW_RATE * this.#highestRate.value(now);
    this.#highestRate.note(rate, now);
    if (!wereHeldBack || finished === 0 || idle > MAX_IDLE) return false;
    // A single low rate may be that of a short stall.
    const isLow = wasLow && this.#wasLow;
    const areFew = isSmall || inflight < FEW_INFLIGHT;
    const isShort = longest < MIN_STRETCH * this.cost.perRequest;
    return (areFew && isShort) || isLow || this.hasFoundOtherWork;
  }

  #start(now: number, measured: Measured): void {
    this.#baseline = measured;
    this.inflight = Math.ceil(FACTOR * measured.inflight);
    this.#settledAt = now + Math.min(measured.inflight / measured.rate, MAX_SETTLING_MS);
  }

  #finish(now: number, baseline: Measured, measured: Measured): number | undefined {
    this.#baseline = undefined;
    this.inflight = 0;
    const factor = measured.inflight / baseline.inflight;
    // If the other work has ended meanwhile, more finish for that reason.
    if (factor < MIN_FACTOR || measured.idle > MIN_IDLE_AFTERWARDS) {
      this.#pausedUntil = now + INCONCLUSIVE_PAUSE_MS;
      return undefined;
    }
    this.hasFoundOtherWork = hasGrown(baseline, measured, MIN_GAIN * (factor - 1));
    if (this.hasFoundOtherWork) {
      this.#pause = MIN_PAUSE_MS;
      return measured.inflight / measured.rate;
    }
    this.#pausedUntil = now + this.#pause;
    this.#pause = Math.min(2 * this.#pause, MAX_PAUSE_MS);
    return undefined;
  }
}

/** Whether more requests finish than before: by at least this fraction, and by more than the standard error. */
function hasGrown(before: Measured, after: Measured, fraction: number): boolean {
  const scale = after.milliseconds / before.milliseconds;
  const expected = before.finished * scale;
  // That of the difference of two Poisson counts, one of which is scaled to the duration of the other.
  const error = Math.sqrt(after.finished + expected * scale);
  return after.finished - expected > Math.max(error, fraction * expected);
}
