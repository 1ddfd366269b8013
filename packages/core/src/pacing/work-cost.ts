import { type EventLoop, MAX_TURN_MS, TURN_MS } from './event-loop.ts';

/** Time constant of the moving averages in milliseconds: long enough for about twenty requests of 100 ms of CPU. */
export const TIME_CONSTANT_MS = 2000;

/** The assumed cost weighs as much as this many measured requests. */
const ASSUMED_REQUESTS = 5;

/**
 * After this many milliseconds without a request in flight, the busy time meanwhile is not counted as the cost of
 * requests.
 */
const GAP_MS = 250;

/** Measures what a request costs the event loop, and how long it takes: moving averages over all requests. */
export class WorkCost {
  /** Number of requests in flight. */
  inflight = 0;
  /**
   * Milliseconds for which a request keeps the loop busy, if all that the loop does, rejections included, is for requests.
   */
  perRequest = TURN_MS;
  /** Milliseconds from the start of a request to its end. */
  duration = 0;
  /** Fading sums: milliseconds that the loop was busy, that requests were in flight, and the number of requests. */
  #busy = TURN_MS * ASSUMED_REQUESTS;
  #inflightTime = 0;
  #requests = ASSUMED_REQUESTS;
  /** `#requests` without the assumed ones, which have no duration. */
  #measured = 0;
  /** Counted since the last update. */
  #latest = { started: 0, finished: 0, inflightTime: 0 };
  #inflightAt: number;
  #updatedAt: number;
  #idle: number;

  constructor(private readonly loop: EventLoop) {
    this.#inflightAt = this.#updatedAt = loop.now();
    this.#idle = loop.idle();
  }

  /** `perRequest` without the cost of rejections: no more than the duration, of which rejections are not a part. */
  get ownCost(): number {
    return Math.min(this.perRequest, this.duration);
  }

  /** The part of its duration for which a request keeps the loop busy. */
  get busyPart(): number {
    return this.duration > this.perRequest ? this.perRequest / this.duration : 1;
  }

  // Reading the idle time for every request would cost more than it is worth.
  started(now: number): void {
    this.#addInflight(now);
    const isAfterGap = this.inflight === 0 && now - this.#updatedAt > GAP_MS;
    if (isAfterGap || now - this.#updatedAt >= MAX_TURN_MS) this.#update(now, isAfterGap);
    this.inflight++;
    this.#latest.started++;
  }

  finished(now: number): void {
    this.#addInflight(now);
    this.inflight--;
    this.#latest.finished++;
    if (now - this.#updatedAt >= MAX_TURN_MS) this.#update(now, false);
  }

  /** Undoes the start of a request: it has not worked yet and starts again later, or it is stuck. */
  paused(now: number, startedAt: number): void {
    this.#addInflight(now);
    this.inflight--;
    this.#latest.inflightTime -= now - startedAt;
    this.#latest.started--;
  }

  #addInflight(now: number): void {
    this.#latest.inflightTime += this.inflight * (now - this.#inflightAt);
    this.#inflightAt = now;
  }

  #update(now: number, isAfterGap: boolean): void {
    const { started, finished, inflightTime } = this.#latest;
    this.#latest = { started: 0, finished: 0, inflightTime: 0 };
    const elapsed = now - this.#updatedAt;
    const idle = this.loop.idle() - this.#idle;
    this.#updatedAt = now;
    this.#idle += idle;
    const fade = Math.exp(-elapsed / TIME_CONSTANT_MS);
    // At the start of a burst, none has finished yet of the requests that have kept the loop busy.
    const requests = Math.max(started, finished);
    // A process that was suspended was not busy for as long. No more than the average covers is counted.
    const busy = Math.min(Math.max(0, elapsed - idle), TIME_CONSTANT_MS);
    this.#busy = this.#busy * fade + (isAfterGap ? 0 : busy);
    this.#inflightTime = this.#inflightTime * fade + Math.max(0, inflightTime);
    this.#requests = this.#requests * fade + requests;
    this.#measured = this.#measured * fade + requests;
    if (this.#requests > 0) this.perRequest = this.#busy / this.#requests;
    if (this.#measured > 0) this.duration = this.#inflightTime / this.#measured;
  }
}
