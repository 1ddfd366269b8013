import type { EventLoop } from './event-loop.ts';
import { FadingMaximum } from './fading-maximum.ts';
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

/** Maximum time that starts may be held back for connections, in milliseconds. */
const MAX_ACCEPT_TIME_MS = 100;

/** Maximum time of one iteration that counts as spent on connections: the rest is work of requests. */
const MAX_ACCEPT_ITERATION_MS = 1;

/** Fewer consecutive polls that accept a connection may be chance. */
const MIN_ACCEPTING_POLLS = 2;

/**
 * Decides when the event loop can take another request, so that requests wait in a queue, which can reject them, rather
 * than in the loop, where they delay each other. Three conditions:
 *
 * - Between two polls of the loop, it starts only a few milliseconds of work.
 * - The work of the requests in flight stays below an allowance. It grows while the loop is idle although requests are
 *   held back, as happens if handlers wait for a timer or a socket before they compute.
 * - While the loop accepts connections, it starts nothing, for at most half of the time: Node accepts one connection
 *   per iteration (libuv since 1.45), so that behind long iterations connections wait where nothing can reject them.
 */
export class Pace {
  readonly cost: WorkCost;
  /** Milliseconds that requests have kept the loop busy at a stretch. */
  readonly longest = new FadingMaximum(LONGEST_DECAY_MS);
  /** Requests started since the last poll, and when the first was. */
  #started = 0;
  #startedAt = 0;
  #awaitsPoll = false;
  #awaitedAt = 0;
  /** Maximum work of the requests in flight, in milliseconds of the loop. */
  #allowance = BUDGET_MS;
  #adjustedAt: number;
  /** Idle time of the loop at `#adjustedAt`, and whether the allowance was used up then. */
  #idle: number;
  #isUsedUp = false;
  /** Number of connections accepted before the last poll. */
  #accepted = 0;
  /** Number of consecutive polls that accepted a connection. */
  #acceptingPolls = 0;
  /** Whether nothing is started until the next poll, because connections are being accepted. */
  #isAccepting = false;
  /** Milliseconds for which that is still allowed: as long as the loop has worked on requests before. */
  #acceptTime = 0;
  #polledAt = 0;

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
    if (this.#isAccepting || !this.#isWithinBudget(now)) return 'poll';
    return this.#isWithinAllowance(now) ? 'start' : IDLE_CHECK_MS;
  }

  started(now: number): void {
    this.cost.started(now);
    if (this.#started++ === 0) this.#startedAt = now;
    this.awaitPoll(now);
  }

  finished(now: number): void {
    this.cost.finished(now);
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
    // A handler may start later than its permit is granted, so the elapsed time alone does not show its work.
    const elapsed = Math.max(now - this.#startedAt, this.#started * perRequest);
    // Requests that take longer than they compute do most of that after later polls, and now others compute. To start
    // only a few per poll would let them all compute at a stretch, and the loop be idle while the next ones wait.
    const work = duration > perRequest ? (elapsed * perRequest) / duration : elapsed;
    return this.#started === 0 || work < BUDGET_MS;
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
    this.#started = 0;
    this.longest.note(now - this.#awaitedAt, now);
    this.#noteAccepted(now);
    this.onPoll();
  }

  #noteAccepted(now: number): void {
    const accepted = this.loop.accepted();
    const hasAccepted = accepted > this.#accepted;
    this.#accepted = accepted;
    this.#acceptingPolls = hasAccepted ? this.#acceptingPolls + 1 : 0;
    // Another poll shows whether it was the last connection.
    if (hasAccepted) this.awaitPoll(now);
    const elapsed = now - this.#polledAt;
    this.#polledAt = now;
    if (this.#isAccepting) this.#acceptTime -= Math.min(elapsed, MAX_ACCEPT_ITERATION_MS);
    else this.#acceptTime = Math.min(this.#acceptTime + elapsed, MAX_ACCEPT_TIME_MS);
    this.#isAccepting = this.#acceptingPolls >= MIN_ACCEPTING_POLLS && this.#acceptTime > 0;
  }
}
