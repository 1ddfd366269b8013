import type { EventLoop } from './event-loop.ts';
import type { WorkCost } from './work-cost.ts';

/** Minimum milliseconds of a measurement. */
const MIN_MS = 500;

/** The same as a multiple of the duration of a request, up to a maximum in milliseconds. */
const MIN_DURATIONS = 2;
const MAX_MIN_MS = 3000;

/** Number of finished requests for which a measurement lasts longer, up to a multiple of its minimum. */
const MIN_FINISHED = 8;
const MAX_EXTENSION = 3;

/** What has been measured for a while. */
export interface Measured {
  readonly milliseconds: number;
  readonly finished: number;
  /** Finished requests per millisecond. */
  readonly rate: number;
  /** Mean number of requests in flight. */
  readonly inflight: number;
  /** Fraction of the time for which the loop was idle. */
  readonly idle: number;
  /** Milliseconds of the longest iteration of the loop, at least. */
  readonly longest: number;
  /** Whether the cost of requests has held others back, and some were queued all the time. */
  readonly wereHeldBack: boolean;
}

/** Measures how many requests are in flight and finish, again and again. */
export class Measurement {
  #startedAt = 0;
  /** Totals at that time. */
  #idle = 0;
  #finished = 0;
  #inflightTime = 0;
  /** Whether requests were held back, and whether the queue was empty, at any time since then. */
  #wereHeldBack = false;
  #wasQueueEmpty = false;
  #notedAt = 0;
  #longest = 0;

  constructor(
    private readonly loop: EventLoop,
    private readonly cost: WorkCost,
  ) {
    this.restart(loop.now());
  }

  /**
   * To be called at least once in each iteration of the loop while requests are held back.
   *
   * @param areHeldBack Whether the cost of requests holds others back.
   */
  note(now: number, areHeldBack: boolean): void {
    this.#longest = Math.max(this.#longest, now - this.#notedAt);
    this.#notedAt = now;
    if (areHeldBack) this.#wereHeldBack = true;
    if (!this.cost.rate.isQueueing) this.#wasQueueEmpty = true;
  }

  /** Whether it has lasted for long enough. */
  isComplete(now: number): boolean {
    const elapsed = now - this.#startedAt;
    const wanted = Math.max(MIN_MS, MIN_DURATIONS * this.cost.duration);
    const needed = Math.min(wanted, MAX_MIN_MS);
    if (elapsed < needed) return false;
    const finished = this.cost.totalFinished - this.#finished;
    return finished >= MIN_FINISHED || elapsed >= MAX_EXTENSION * needed;
  }

  result(now: number): Measured {
    const { cost, loop } = this;
    const milliseconds = now - this.#startedAt;
    const finished = cost.totalFinished - this.#finished;
    return {
      milliseconds,
      finished,
      rate: finished / milliseconds,
      inflight: (cost.totalInflightTime(now) - this.#inflightTime) / milliseconds,
      idle: (loop.idle() - this.#idle) / milliseconds,
      longest: this.#longest,
      wereHeldBack: this.#wereHeldBack && !this.#wasQueueEmpty,
    };
  }

  restart(now: number): void {
    this.#startedAt = this.#notedAt = now;
    this.#longest = 0;
    this.#idle = this.loop.idle();
    this.#finished = this.cost.totalFinished;
    this.#inflightTime = this.cost.totalInflightTime(now);
    this.#wereHeldBack = false;
    this.#wasQueueEmpty = false;
  }
}
