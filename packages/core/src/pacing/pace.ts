import { AcceptPause } from './accept-pause.ts';
import { Allowance } from './allowance.ts';
import type { EventLoop } from './event-loop.ts';
import { FadingMaximum } from './fading-maximum.ts';
import { Spacing } from './spacing.ts';
import { StartedWork } from './started-work.ts';
import { WorkCost } from './work-cost.ts';

/** Milliseconds of work that may be started between two polls of the loop, unless one request takes longer. */
const BUDGET_MS = 5;

/** Maximum of the same next to other work, and while the code is cold: with more, the loop would poll too rarely. */
const MAX_BUDGET_MS = 50;
const MAX_COLD_BUDGET_MS = 100;

/** Upper bound for reading and rejecting a request, in milliseconds. What is left of an iteration is other work. */
const MAX_REJECTION_MS = 1;

/** Time constant at which a long iteration of the loop is forgotten, in milliseconds. */
const LONGEST_BUSY_DECAY_MS = 5000;

/** Milliseconds after which the idle time of the loop is read again while requests are held back. */
const IDLE_CHECK_MS = 1;

/** Milliseconds of idle time after which a request in flight is not expected to need the loop soon. */
const FORGOTTEN_AFTER_MS = 1000;

/** When a request was started, and the total idle time of the loop at that time. */
interface StartedRequest {
  readonly at: number;
  readonly idle: number;
}

/**
 * Decides when the event loop can take another request, so that requests wait in a queue, which can reject them, rather
 * than in the loop, where they delay each other. Four conditions:
 *
 * - Between two polls of the loop, it starts only a few milliseconds of work, or as much as the loop spends on other work;
 *   while the code is cold, as much as the loop had to read and reject before: a rejection costs as much as an answer then,
 *   so that waiting saves nothing.
 *   Between polls, another request may also start for each that finishes after it has waited for a timer or a socket: if
 *   all of them started at a poll, their answers would arrive together, and the loop would be idle until then.
 * - Starts are spaced, so that requests with several waits do not compute in one long iteration and then leave the loop
 *   idle.
 * - The work of the requests in flight stays below an allowance. Requests that wait for long, as for a server that does not
 *   respond, do not count.
 * - While the loop accepts connections, it starts nothing, for at most half of the time.
 */
export class Pace {
  readonly cost: WorkCost;
  /** Milliseconds that requests have kept the loop busy at a stretch. */
  readonly longestBusy = new FadingMaximum(LONGEST_BUSY_DECAY_MS);
  readonly #startedWork = new StartedWork();
  readonly #acceptPause: AcceptPause;
  readonly #allowance: Allowance;
  readonly #spacing: Spacing;
  /** Milliseconds of work that may be started until the next poll. */
  #budget = BUDGET_MS;
  /** The requests in flight, oldest first. */
  readonly #requests = new Map<object, StartedRequest>();
  /** Number of requests since the last awaited poll that were not admitted at once. */
  #arrived = 0;
  /** Number of requests in flight at the last poll. */
  #inflightAtPoll = 0;
  /** Whether a request has just finished that another may replace before the next poll. */
  #mayReplaceFinished = false;
  /** When a poll was first awaited, if one is. */
  #awaitedAt: number | undefined;

  constructor(
    private readonly loop: EventLoop,
    /** Called after a poll that was awaited. */
    private readonly onPoll: () => void,
  ) {
    this.cost = new WorkCost(loop);
    this.#acceptPause = new AcceptPause(loop, this.cost);
    this.#allowance = new Allowance(loop, this.cost);
    this.#spacing = new Spacing(this.cost);
  }

  /**
   * Decides whether another request may start now. If not: `poll` if only the next poll can change that, or the
   * milliseconds after which to ask again.
   */
  decide(now: number): 'start' | 'poll' | number {
    if (!this.loop.isMeasured) return 'start';
    if (this.#acceptPause.isActive || !this.#isWithinBudget(now)) return 'poll';
    const awaited = now - (this.#awaitedAt ?? now);
    const mayStart = this.#allowance.update(now, awaited, this.#inflightAtPoll);
    if (mayStart && this.#allowance.hasOtherWork) return 'start';
    if (mayStart) return this.#spacing.remaining(now) || 'start';
    this.#forgetWaiting(now);
    return IDLE_CHECK_MS;
  }

  /** A request has arrived that is not admitted at once. One that displaces another is counted several times. */
  arrived(): void {
    this.#arrived++;
  }

  started(now: number, request: object): void {
    this.#spacing.started(now);
    this.cost.started(now);
    this.#requests.set(request, { at: now, idle: this.loop.idle() });
    this.#mayReplaceFinished = false;
    this.#startedWork.started(now);
    this.awaitPoll(now);
  }

  /** The request only waits for its client: many of them would look like requests that take long and cost nothing. */
  paused(now: number, request: object): void {
    const started = this.#requests.get(request);
    if (started === undefined) return;
    this.#requests.delete(request);
    this.cost.paused(now, started.at);
  }

  /** Whether the request is in flight, and neither waits for its client nor has been idle for long. */
  isWorking(request: object): boolean {
    return this.#requests.has(request);
  }

  finished(now: number, request: object): void {
    const started = this.#requests.get(request);
    // It is paused, or `#forgetWaiting` has already counted it as finished.
    if (started === undefined) return;
    this.#requests.delete(request);
    this.cost.finished(now);
    const took = now - started.at;
    // One that has only computed is not replaced: others like it would follow each other without a poll.
    const hasWaited = took > BUDGET_MS + this.cost.perRequest;
    this.#mayReplaceFinished = hasWaited && this.cost.inflight < this.#inflightAtPoll;
    this.#startedWork.finished(now);
  }

  /** Calls `onPoll` after the next poll. */
  awaitPoll(now: number): void {
    if (this.#awaitedAt !== undefined || !this.loop.isMeasured) return;
    this.#awaitedAt = now;
    this.loop.whenPolled(() => this.#whenPolled(now));
  }

  /** Counts requests as finished that have left the loop idle for long: they wait for something else. */
  #forgetWaiting(now: number): void {
    const forgotten = this.loop.idle() - FORGOTTEN_AFTER_MS;
    for (const [request, { idle }] of this.#requests) {
      if (idle > forgotten) return;
      this.#requests.delete(request);
      this.cost.forgotten(now);
    }
  }

  #isWithinBudget(now: number): boolean {
    if (this.#mayReplaceFinished) return true;
    const { perRequest, duration, busyPart } = this.cost;
    const started = this.#startedWork.milliseconds(now, perRequest);
    if (started === undefined) return true;
    // Rejections count as a part of what a request costs, but not of how long it takes.
    const next = Math.min(perRequest, duration);
    // Requests that take longer than they compute do most of that after later polls, and now others compute. To start
    // only a few per poll would let them all compute at a stretch, and the loop be idle while the next ones wait.
    const budget = Math.max(this.#budget, this.#allowance.extraBudget);
    return Math.max(started, next) * busyPart < budget;
  }

  #whenPolled(awaitedAt: number): void {
    const now = this.loop.now();
    const busy = now - awaitedAt;
    this.#awaitedAt = undefined;
    this.cost.polled(now);
    this.longestBusy.note(busy, now);
    const worked = this.#startedWork.polled();
    const wasInflight = this.#inflightAtPoll > 0;
    this.#inflightAtPoll = this.cost.inflight;
    this.#mayReplaceFinished = false;
    // If requests span several iterations, their part of this one is unknown.
    const isKnown = !wasInflight && this.#inflightAtPoll === 0;
    this.#budget = Math.max(BUDGET_MS, isKnown ? this.#budgetAfter(busy - worked) : 0);
    this.#arrived = 0;
    if (this.#acceptPause.isActive) this.#allowance.lowerToWorkInFlight();
    // Another poll shows whether it was the last connection.
    if (this.#acceptPause.polled(now, wasInflight)) this.awaitPoll(now);
    this.onPoll();
  }

  /** @param other Milliseconds of the last iteration in which no request computed. */
  #budgetAfter(other: number): number {
    if (this.cost.isCold) return Math.min(other, MAX_COLD_BUDGET_MS);
    // Rejections must not raise the budget: a longer iteration has more of them to handle, and would grow further.
    return Math.min(other - this.#arrived * MAX_REJECTION_MS, MAX_BUDGET_MS);
  }
}
