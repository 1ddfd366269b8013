import type { EventLoop } from './event-loop.ts';
import { FadingMaximum } from './fading-maximum.ts';
import type { WorkCost } from './work-cost.ts';

/** Minimum milliseconds of a measurement. */
const MIN_MEASURED_MS = 500;

/** The same as a multiple of the duration of a request, up to a maximum in milliseconds. */
const MEASURED_DURATIONS = 2;
const MAX_MEASURED_MS = 3000;

/** Number of finished requests for which a measurement lasts longer, up to a multiple of its minimum duration. */
const MIN_FINISHED = 8;
const MAX_EXTENSION = 3;

/** How many times as many requests may be in flight during a probe, and how many times as many it needs. */
const FACTOR = 2.5;
const MIN_FACTOR = 1.5;

/** If this part of the additional requests in flight finishes additional ones, other work keeps the loop busy. */
const MIN_GAIN = 0.3;

/** Mean number of requests in flight below which others in flight hardly delay them. */
const FEW_INFLIGHT = 1.5;

/** If fewer requests finish than this part of the highest recent rate, others may be held back for no reason. */
const LOW_RATE = 0.75;

/** Time constant at which the highest rate is forgotten, in milliseconds. */
const RATE_DECAY_MS = 10_000;

/** Part of the time for which a busy loop may be idle. */
const MAX_IDLE = 0.1;

/** Part of the time for which the loop is idle once other work has ended. */
const MIN_IDLE_AFTERWARDS = 0.3;

/** Milliseconds until the next probe after one in which there were not enough requests. */
const INCONCLUSIVE_PAUSE_MS = 1000;

/** Milliseconds until the next probe after one that has found no other work: doubled each time, up to the maximum. */
const MIN_PAUSE_MS = 4000;
const MAX_PAUSE_MS = 32_000;

/** Totals since the process started; times are in milliseconds. */
interface Totals {
  readonly at: number;
  readonly idle: number;
  readonly finished: number;
  readonly inflight: number;
}

interface Measured {
  readonly milliseconds: number;
  readonly finished: number;
  /** Finished requests per millisecond. */
  readonly rate: number;
  /** Mean number of requests in flight. */
  readonly inflight: number;
  /** Part of the time for which the loop was idle. */
  readonly idle: number;
}

/**
 * Finds out whether requests keep the loop busy, or other work does, such as a batch job that yields with `setImmediate`:
 * the cost of a request is measured as if only requests did. If that cost holds requests back, a probe lets more of them be
 * in flight for a moment. If requests keep the loop busy, no more of them finish. BBR probes for bandwidth in this way
 * (Cardwell et al., BBR: Congestion-Based Congestion Control, 2016).
 */
export class Probe {
  /** Whether other work has been found to keep the loop busy. */
  hasFoundOtherWork = false;
  /** Number of requests that a running probe lets be in flight; 0 if none is running. */
  inflight = 0;
  #begin: Totals;
  /** Whether requests were held back, and whether the queue was empty, at any time since `#begin`. */
  #wereHeldBack = false;
  #wasQueueEmpty = false;
  /** What was measured before the running probe. */
  #before: Measured | undefined;
  /** When the requests that were in flight before the probe have finished. */
  #settledAt: number | undefined;
  readonly #highestRate = new FadingMaximum(RATE_DECAY_MS);
  #pause = MIN_PAUSE_MS;
  #pausedUntil = -Infinity;

  constructor(
    private readonly loop: EventLoop,
    private readonly cost: WorkCost,
  ) {
    this.#begin = this.#totals(loop.now());
  }

  /**
   * Returns the duration of a request in milliseconds if a probe has just found other work; otherwise undefined.
   *
   * @param areHeldBack Whether the cost of requests holds others back.
   * @param isSmall Whether it allows so little work in flight that more hardly delays it.
   */
  update(now: number, areHeldBack: boolean, isSmall: boolean): number | undefined {
    if (!this.#isSettled(now)) return undefined;
    if (areHeldBack) this.#wereHeldBack = true;
    if (!this.cost.rate.isQueueing) this.#wasQueueEmpty = true;
    if (!this.#isMeasured(now)) return undefined;
    const wereLimited = this.#wereHeldBack && !this.#wasQueueEmpty;
    const measured = this.#measure(now);
    if (measured.idle > MIN_IDLE_AFTERWARDS) this.hasFoundOtherWork = false;
    if (this.#before !== undefined) return this.#finish(now, this.#before, measured);
    const isLow = measured.rate < LOW_RATE * this.#highestRate.value(now);
    this.#highestRate.note(measured.rate, now);
    const mayProbe = measured.idle < MAX_IDLE && now >= this.#pausedUntil && !this.cost.isCold;
    const areFew = isSmall || measured.inflight < FEW_INFLIGHT;
    const isDoubtful = areFew || isLow || this.hasFoundOtherWork;
    if (wereLimited && mayProbe && isDoubtful) this.#start(now, measured);
    return undefined;
  }

  #start(now: number, measured: Measured): void {
    this.#before = measured;
    this.inflight = Math.ceil(FACTOR * measured.inflight);
    this.#settledAt = now + Math.min(measured.inflight / measured.rate, MAX_MEASURED_MS);
  }

  #finish(now: number, before: Measured, after: Measured): number | undefined {
    this.#before = undefined;
    this.inflight = 0;
    const factor = after.inflight / before.inflight;
    if (factor < MIN_FACTOR) {
      this.#pausedUntil = now + INCONCLUSIVE_PAUSE_MS;
      return undefined;
    }
    const expected = before.rate * after.milliseconds;
    const additional = after.finished - expected;
    // The standard error of numbers of requests that finish at random.
    const error = Math.sqrt(after.finished + expected);
    this.hasFoundOtherWork = additional > Math.max(error, MIN_GAIN * (factor - 1) * expected);
    if (this.hasFoundOtherWork) {
      this.#pause = MIN_PAUSE_MS;
      return after.inflight / after.rate;
    }
    this.#pausedUntil = now + this.#pause;
    this.#pause = Math.min(2 * this.#pause, MAX_PAUSE_MS);
    return undefined;
  }

  /** The measurement during a probe begins late. */
  #isSettled(now: number): boolean {
    if (this.#settledAt === undefined) return true;
    if (now < this.#settledAt) return false;
    this.#settledAt = undefined;
    this.#measure(now);
    return true;
  }

  /** Whether the measurement has lasted for long enough. */
  #isMeasured(now: number): boolean {
    const elapsed = now - this.#begin.at;
    const wanted = Math.max(MIN_MEASURED_MS, MEASURED_DURATIONS * this.cost.duration);
    const needed = Math.min(wanted, MAX_MEASURED_MS);
    if (elapsed < needed) return false;
    const finished = this.cost.finishedInAll - this.#begin.finished;
    return finished >= MIN_FINISHED || elapsed >= MAX_EXTENSION * needed;
  }

  /** Ends the measurement and begins the next one. */
  #measure(now: number): Measured {
    const begin = this.#begin;
    const end = this.#totals(now);
    this.#begin = end;
    this.#wereHeldBack = false;
    this.#wasQueueEmpty = false;
    const milliseconds = end.at - begin.at;
    const finished = end.finished - begin.finished;
    return {
      milliseconds,
      finished,
      rate: finished / milliseconds,
      inflight: (end.inflight - begin.inflight) / milliseconds,
      idle: (end.idle - begin.idle) / milliseconds,
    };
  }

  #totals(now: number): Totals {
    const { cost, loop } = this;
    const inflight = cost.inflightInAll(now);
    return { at: now, idle: loop.idle(), finished: cost.finishedInAll, inflight };
  }
}
