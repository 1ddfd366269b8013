import type { EventLoop } from './event-loop.ts';
import { FinishRate, fadeAfter } from './finish-rate.ts';

/** Minimum milliseconds between updates: reading the idle time for every request would cost more than it is worth. */
const UPDATE_INTERVAL_MS = 50;

/** A gap of this many milliseconds without requests is long enough for other things to keep the loop busy. */
const GAP_MS = 250;

/** What a request is assumed to cost until requests have been measured, in milliseconds: `BUDGET_MS` of `Pace`. */
const INITIAL_COST_MS = 5;

/** Number of measured requests that the assumption weighs as much as, so that a first long one does not decide. */
const INITIAL_REQUESTS = 5;

/** Code that has run fewer times is not compiled yet, and takes many times as long: rates measured then are wrong. */
const COLD_REQUESTS = 500;

/** Milliseconds from the first measured requests after which the code counts as compiled. */
const COLD_MS = 2000;

/** Weight of earlier measurements after other work has been found. */
const DISCOUNT = 0.1;

/** Sums over a period; times are in milliseconds. */
class Sums {
  /** Time that the loop was busy. */
  busy = 0;
  /** The part of `busy` before the last poll at which no request had finished. */
  busyBefore = 0;
  /** Time that requests were in flight, added up. */
  inflight = 0;
  started = 0;
  finished = 0;

  /** Adds a later period; the sums until then count for the fraction `fade`. */
  add(later: Sums, fade: number): void {
    this.busy = this.busy * fade + later.busy;
    this.busyBefore = this.busyBefore * fade + later.busyBefore;
    this.inflight = this.inflight * fade + later.inflight;
    this.started = this.started * fade + later.started;
    this.finished = this.finished * fade + later.finished;
  }
}

/** Measures what a request costs the event loop, and how long it takes. */
export class WorkCost {
  /** Number of requests in flight. */
  inflight = 0;
  /** Milliseconds that a request keeps the loop busy, as if only requests did. */
  perRequest = INITIAL_COST_MS;
  /** Milliseconds from the start of a request to its end. */
  duration = 0;
  readonly rate = new FinishRate();
  /** Number of requests that have ever finished. */
  totalFinished = 0;
  #totalInflightTime = 0;
  #inflightAt: number;
  #updatedAt: number;
  #idle: number;
  /** Sums since the last update, and fading sums until then. */
  #latest = new Sums();
  readonly #earlier = new Sums();
  /** Weight of the initial assumption about the cost, as a number of requests; it fades as well. */
  #assumed = INITIAL_REQUESTS;
  /** Number of requests after which the code is compiled, and when it is in any case. */
  #coldRequests = COLD_REQUESTS;
  #coldUntil: number | undefined;

  constructor(private readonly loop: EventLoop) {
    this.#inflightAt = this.#updatedAt = loop.now();
    this.#idle = loop.idle();
    this.#earlier.busy = INITIAL_COST_MS * INITIAL_REQUESTS;
  }

  /** The part of its duration for which a request keeps the loop busy. */
  get busyPart(): number {
    return this.duration > this.perRequest ? this.perRequest / this.duration : 1;
  }

  /** Milliseconds of its duration for which a request does not keep the loop busy. */
  get waiting(): number {
    return Math.max(0, this.duration - this.perRequest);
  }

  /** Whether the code may not be compiled yet. With little CPU, that lasts longer than `COLD_REQUESTS` suggests. */
  get isCold(): boolean {
    return this.loop.now() < (this.#coldUntil ?? Infinity);
  }

  /** Milliseconds that requests have ever been in flight, added up. */
  totalInflightTime(now: number): number {
    this.#addInflight(now);
    return this.#totalInflightTime;
  }

  started(now: number): void {
    this.#addInflight(now);
    const isAfterGap = this.inflight === 0 && !this.rate.isQueueing;
    // What kept the loop busy meanwhile, such as the start of the process, was not this request.
    if (isAfterGap && now - this.#updatedAt >= GAP_MS)
      this.#update(now, Math.max(0, this.#latest.inflight));
    this.inflight++;
    this.#latest.started++;
  }

  /** Undoes the start of a request that has not worked yet; it starts again later. */
  paused(now: number, startedAt: number): void {
    this.#addInflight(now);
    this.inflight--;
    this.#latest.inflight -= now - startedAt;
    this.#latest.started--;
  }

  finished(now: number): void {
    this.totalFinished++;
    this.rate.finished();
    this.forgotten(now);
  }

  /** The request has finished, or only waits: then it is no evidence of how many can finish. */
  forgotten(now: number): void {
    this.#addInflight(now);
    this.inflight--;
    this.#latest.finished++;
    if (now - this.#updatedAt >= UPDATE_INTERVAL_MS) this.#update(now);
  }

  /** Until the first request finishes, the busy time is divided among all started requests. */
  polled(now: number): void {
    if (this.#latest.finished === 0) this.#latest.busyBefore = this.#busySinceUpdate(now);
  }

  /** Earlier measurements include other work, so later ones count for more. */
  discountEarlier(): void {
    this.#earlier.add(new Sums(), DISCOUNT);
    this.#assumed *= DISCOUNT;
  }

  #addInflight(now: number): void {
    const inflight = this.inflight * (now - this.#inflightAt);
    this.#latest.inflight += inflight;
    this.#totalInflightTime += inflight;
    this.#inflightAt = now;
  }

  #update(now: number, maxBusy = Infinity): void {
    const latest = this.#latest;
    latest.busy = Math.min(maxBusy, this.#busySinceUpdate(now));
    latest.busyBefore = Math.min(latest.busyBefore, latest.busy);
    const fade = fadeAfter(now - this.#updatedAt);
    this.#updatedAt = now;
    this.#idle = this.loop.idle();
    this.#assumed *= fade;
    this.#earlier.add(latest, fade);
    this.rate.update(now, this.#updateWarmUp(now));
    this.#latest = new Sums();
    this.#estimate();
  }

  #estimate(): void {
    const { busy, busyBefore, inflight, started, finished } = this.#earlier;
    // The time before the first request of a burst finishes is divided among all started requests.
    const begun = Math.max(started, finished);
    if (begun > 0) this.duration = Math.max(0, inflight) / begun;
    const worked = this.#assumed + finished;
    if (worked > 0) {
      this.perRequest = busyBefore / (this.#assumed + begun) + (busy - busyBefore) / worked;
    }
  }

  #busySinceUpdate(now: number): number {
    return Math.max(0, now - this.#updatedAt - (this.loop.idle() - this.#idle));
  }

  /** Counts the measured requests. Returns whether the code was cold when they began. */
  #updateWarmUp(now: number): boolean {
    const { finished } = this.#latest;
    if (this.#coldRequests <= 0 || finished === 0) return false;
    this.#coldUntil ??= now + COLD_MS;
    this.#coldRequests = now < this.#coldUntil ? this.#coldRequests - finished : 0;
    return true;
  }
}
