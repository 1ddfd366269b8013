import { AcceptPause } from './accept-pause.ts';
import type { EventLoop } from './event-loop.ts';
import { FadingMaximum } from './fading-maximum.ts';
import { StartedWork } from './started-work.ts';
import { WorkCost } from './work-cost.ts';

/** Milliseconds of work that may be started between two polls of the loop, unless one request takes longer. */
const BUDGET_MS = 5;

/** Time constant at which the work allowed in flight falls while the loop is never idle, in milliseconds. */
const ALLOWANCE_DECAY_MS = 2000;

/** Milliseconds of idle time after which the allowance has doubled, once it is larger than this. */
const ALLOWANCE_DOUBLING_MS = 40;

/** Time constant at which a long iteration of the loop is forgotten, in milliseconds. */
const LONGEST_DECAY_MS = 5000;

/** Milliseconds after which the idle time of the loop is read again while requests are held back. */
const IDLE_CHECK_MS = 1;

/**
 * Decides when the event loop can take another request, so that requests wait in a queue, which can reject them, rather
 * than in the loop, where they delay each other. Three conditions:
 *
 * - Between two polls of the loop, it starts only a few milliseconds of work, or as much as the loop had to read and
 *   reject before: where that costs as much as the work, as in code that is not compiled yet, waiting saves nothing.
 * - The work of the requests in flight stays below an allowance. It grows while the loop is idle although requests are
 *   held back, as happens if handlers wait for a timer or a socket before they compute.
 * - While the loop accepts connections, it starts nothing, for at most half of the time.
 */
export class Pace {
  readonly cost: WorkCost;
  /** Milliseconds that requests have kept the loop busy at a stretch. */
  readonly longest = new FadingMaximum(LONGEST_DECAY_MS);
  readonly #startedWork = new StartedWork();
  readonly #acceptPause = new AcceptPause();
  /** Milliseconds of work that may be started until the next poll. */
  #budget = BUDGET_MS;
  /** Number of requests in flight at the last poll. */
  #inflight = 0;
  #awaitsPoll = false;
  #awaitedAt = 0;
  /** Maximum work of the requests in flight, in milliseconds of the loop. */
  #allowance = BUDGET_MS;
  #adjustedAt: number;
  /** Idle time of the loop at `#adjustedAt`, and whether the allowance was used up then. */
  #idle: number;
  #isUsedUp = false;

  constructor(
    private readonly loop: EventLoop,
    /** Called after a poll that was awaited. */
    private readonly onPoll: () => void,
  ) {
    this.cost = new WorkCost(loop);
    this.#adjustedAt = loop.now();
    this.#idle = loop.idle();
  }

  /**
   * Decides whether another request may start now. If not: `poll` if only the next poll can change that, or the
   * milliseconds after which to ask again.
   */
  decide(now: number): 'start' | 'poll' | number {
    if (!this.loop.isMeasured) return 'start';
    if (this.#acceptPause.isActive || !this.#isWithinBudget(now)) return 'poll';
    return this.#isWithinAllowance(now) ? 'start' : IDLE_CHECK_MS;
  }

  started(now: number): void {
    this.cost.started(now);
    this.#startedWork.started(now);
    this.awaitPoll(now);
  }

  finished(now: number): void {
    this.cost.finished(now);
    this.#startedWork.finished(now);
  }

  /** Calls `onPoll` after the next poll. */
  awaitPoll(now: number): void {
    if (this.#awaitsPoll || !this.loop.isMeasured) return;
    this.#awaitsPoll = true;
    this.#awaitedAt = now;
    this.loop.whenPolled(() => this.#whenPolled());
  }

  #isWithinBudget(now: number): boolean {
    const { perRequest, duration } = this.cost;
    const started = this.#startedWork.milliseconds(now, perRequest);
    if (started === undefined) return true;
    // Requests that take longer than they compute do most of that after later polls, and now others compute. To start
    // only a few per poll would let them all compute at a stretch, and the loop be idle while the next ones wait.
    const share = duration > perRequest ? perRequest / duration : 1;
    // Rejections count as a part of what a request costs, but not of how long it takes.
    const next = Math.min(perRequest, duration);
    return Math.max(started, next) * share < this.#budget;
  }

  #isWithinAllowance(now: number): boolean {
    const { inflight, perRequest } = this.cost;
    this.#adjustAllowance(now);
    this.#isUsedUp = inflight > 0 && inflight * perRequest > this.#allowance;
    return !this.#isUsedUp;
  }

  #adjustAllowance(now: number): void {
    const elapsed = now - this.#adjustedAt;
    const idle = this.loop.idle() - this.#idle;
    this.#adjustedAt = now;
    this.#idle += idle;
    if (idle === 0) {
      const excess = this.#allowance - BUDGET_MS;
      this.#allowance = BUDGET_MS + excess * Math.exp(-elapsed / ALLOWANCE_DECAY_MS);
    } else if (this.#isUsedUp) {
      // In proportion, so that many long requests in flight do not hold others back for long.
      this.#allowance += idle * Math.max(1, this.#allowance / ALLOWANCE_DOUBLING_MS);
    }
  }

  #whenPolled(): void {
    const now = this.loop.now();
    this.#awaitsPoll = false;
    const busy = now - this.#awaitedAt;
    this.longest.note(busy, now);
    const worked = this.#startedWork.polled();
    const wasInflight = this.#inflight > 0;
    this.#inflight = this.cost.inflight;
    // Of requests that take several iterations, what they worked in this one is unknown.
    const isKnown = !wasInflight && this.#inflight === 0;
    this.#budget = isKnown ? Math.max(BUDGET_MS, busy - worked) : BUDGET_MS;
    // Another poll shows whether it was the last connection.
    if (this.#acceptPause.polled(now, this.loop.accepted(), wasInflight)) this.awaitPoll(now);
    this.onPoll();
  }
}
