import type { EventLoop } from './event-loop.ts';
import { Probe } from './probe.ts';
import type { WorkCost } from './work-cost.ts';

/** Milliseconds of work that may be in flight at least. */
const MINIMUM_MS = 5;

/**
 * Milliseconds of idle time after which the allowance has doubled, once it is larger than this and than the duration of
 * a request: a loop that is still idle then shows that requests cost less than estimated.
 */
const DOUBLING_MS = 40;

/**
 * Milliseconds of work that may start at once after a pause for connections. With less, the loop would be idle for longer;
 * with more, all of it would compute in one long iteration.
 */
const MAX_STEP_MS = 30;

/** Below this, the allowance is so small that a probe delays requests little. */
const SMALL_MS = 2 * MINIMUM_MS;

/** The allowance while other work keeps the loop busy, as a multiple of the duration of a request. */
const ALLOWED_DURATIONS = 2;

/** Time constant at which the allowance falls while the loop is never idle, in milliseconds. */
const DECAY_MS = 2000;

/** The time constant while a poll is overdue, and while other work keeps the loop busy. */
const OVERDUE_DECAY_MS = 150;
const OTHER_WORK_DECAY_MS = 10_000;

/** Milliseconds after which a poll is overdue, in addition to the duration of a request. */
const POLL_DELAY_MS = 20;

/**
 * How much work the requests in flight may be, in milliseconds of the loop. It grows while the loop is idle although
 * requests are held back, as happens if handlers wait for a timer or a socket before they compute. It falls while the
 * loop has too much to do to poll: Node polls only when no timer is due, and handles all that it has read before it polls
 * again, so until then it neither reads nor rejects requests. While other work keeps the loop busy, requests seem to cost
 * all of its time, so that the allowance is a multiple of their duration instead.
 */
export class Allowance {
  #milliseconds = MINIMUM_MS;
  #adjustedAt: number;
  /** Idle time of the loop at `#adjustedAt`, and whether the allowance was used up then. */
  #idle: number;
  #isUsedUp = false;
  readonly #probe: Probe;

  constructor(
    private readonly loop: EventLoop,
    private readonly cost: WorkCost,
  ) {
    this.#adjustedAt = loop.now();
    this.#idle = loop.idle();
    this.#probe = new Probe(loop, cost);
  }

  /** Whether other work keeps the loop busy, so that the cost of requests is not known. */
  get hasOtherWork(): boolean {
    return this.#probe.hasFoundOtherWork;
  }

  /** Milliseconds of work that may start between two polls because the cost of requests is not known; usually 0. */
  get extraBudget(): number {
    const { hasFoundOtherWork, inflight } = this.#probe;
    const allowed = hasFoundOtherWork ? this.#milliseconds : 0;
    return Math.max(allowed, inflight * this.cost.perRequest);
  }

  /**
   * Updates the allowance. Returns whether another request may be in flight.
   *
   * @param awaited Milliseconds for which a poll has been awaited; 0 if none is.
   * @param inflightAtPoll Number of requests in flight at the last poll.
   */
  update(now: number, awaited: number, inflightAtPoll: number): boolean {
    const { inflight, perRequest } = this.cost;
    const elapsed = now - this.#adjustedAt;
    const idle = this.loop.idle() - this.#idle;
    this.#adjustedAt = now;
    this.#idle += idle;
    if (idle === 0) this.#lower(elapsed, awaited, inflightAtPoll);
    else if (this.#isUsedUp) this.#raise(idle);
    this.#isUsedUp = inflight > 0 && inflight * perRequest > this.#milliseconds;
    this.#updateProbe(now);
    return !this.#isUsedUp || inflight < this.#probe.inflight;
  }

  /**
   * Lowers the allowance to the work in flight and a little more, during a pause for connections. Otherwise as many
   * requests as before would start at once and compute in one long iteration, during which new connections wait and cause
   * the next pause.
   */
  lowerToWorkInFlight(): void {
    const { inflight, perRequest } = this.cost;
    this.#milliseconds = Math.min(this.#milliseconds, inflight * perRequest + MAX_STEP_MS);
  }

  #updateProbe(now: number): void {
    const isSmall = this.#milliseconds < SMALL_MS;
    const duration = this.#probe.update(now, this.#isUsedUp, isSmall);
    if (duration === undefined) return;
    this.#milliseconds = Math.max(this.#milliseconds, ALLOWED_DURATIONS * duration);
    this.cost.discountEarlier();
  }

  #raise(idle: number): void {
    const doubling = Math.max(DOUBLING_MS, this.cost.duration);
    this.#milliseconds += idle * Math.max(1, this.#milliseconds / doubling);
  }

  #lower(elapsed: number, awaited: number, inflightAtPoll: number): void {
    const { perRequest, duration } = this.cost;
    const isOverdue = inflightAtPoll > 0 && awaited > POLL_DELAY_MS + duration;
    if (isOverdue) this.#milliseconds = Math.min(this.#milliseconds, inflightAtPoll * perRequest);
    // Without queued requests, nothing shows that it is too large.
    if (this.hasOtherWork && !isOverdue && !this.cost.rate.isQueueing) return;
    const usual = this.hasOtherWork ? OTHER_WORK_DECAY_MS : DECAY_MS;
    const decay = Math.exp(-elapsed / (isOverdue ? OVERDUE_DECAY_MS : usual));
    this.#milliseconds = MINIMUM_MS + Math.max(0, this.#milliseconds - MINIMUM_MS) * decay;
  }
}
