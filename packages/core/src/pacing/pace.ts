import type { EventLoop } from './event-loop.ts';
import { WorkCost } from './work-cost.ts';

/** Milliseconds of work that may be started between two polls of the loop, unless one request takes longer. */
const BUDGET_MS = 5;

/** Time constant at which the lead returns to the budget, in milliseconds. */
const LEAD_DECAY_MS = 5000;

/** Fewer consecutive polls that accept a connection may be chance. */
const MIN_ACCEPTING_POLLS = 2;

/**
 * Decides when the event loop can take another request, so that requests wait in a queue, which can reject them, rather
 * than in the loop, where they delay each other. Three conditions:
 *
 * - Between two polls of the loop, it starts only a few milliseconds of work.
 * - The work it has started and that is not yet done stays below the lead, which handlers need that wait for timers or
 *   sockets before they compute.
 * - While the loop accepts connections, it starts nothing, for at most half of the time: Node accepts one connection
 *   per iteration (libuv since 1.45), so that behind long iterations connections wait where nothing can reject them.
 */
export class Pace {
  readonly cost: WorkCost;
  /** Requests started since the last poll, and when the first was. */
  #started = 0;
  #startedAt = 0;
  /** How long the starts before the last poll took, in milliseconds. */
  #latest = 0;
  #awaitsPoll = false;
  /** Estimated milliseconds of work that has been started and is not done, at the time `#aheadAt`. */
  #ahead = 0;
  #aheadAt: number;
  /** Maximum of `#ahead`: grows by the time that the loop is idle although requests are held back. */
  #lead = BUDGET_MS;
  /** Idle time of the loop when the lead was last measured; undefined unless requests are held back. */
  #idle: number | undefined;
  /** Number of connections accepted before the last poll. */
  #accepted = 0;
  /** Number of consecutive polls that accepted a connection. */
  #acceptingPolls = 0;
  /** Whether nothing is started until the next poll, because connections are being accepted; and since when. */
  #isAccepting = false;
  #acceptingSince = 0;

  constructor(
    private readonly loop: EventLoop,
    /** Called after a poll that `wake` has asked for. */
    private readonly polled: () => void,
  ) {
    this.cost = new WorkCost(loop);
    this.#aheadAt = loop.now();
  }

  /** Whether another request may start now. */
  isOpen(now: number): boolean {
    return !this.#isAccepting && this.#isWithinBudget(now) && this.delay(now) === 0;
  }

  /** Milliseconds until enough of the work that has been started is estimated to be done; 0 if it is. */
  delay(now: number): number {
    this.#catchUp(now);
    const delay = Math.max(0, this.#ahead - this.#lead);
    if (delay === 0) this.#idle = undefined;
    return delay;
  }

  started(now: number): void {
    this.#catchUp(now);
    this.cost.started(now);
    this.#ahead += this.cost.each;
    if (this.#ahead > this.#lead) this.#idle ??= this.loop.idle();
    if (this.#started++ === 0) this.#startedAt = now;
    this.wake();
  }

  finished(now: number): void {
    this.cost.finished(now);
  }

  /** Calls `polled` after the next poll. */
  wake(): void {
    if (this.#awaitsPoll) return;
    this.#awaitsPoll = true;
    this.loop.whenPolled(() => this.#whenPolled());
  }

  #isWithinBudget(now: number): boolean {
    // A handler may start later than its permit is granted, so the elapsed time alone does not show its work.
    const work = Math.max(now - this.#startedAt, this.#started * this.cost.each);
    return this.#started === 0 || work < BUDGET_MS;
  }

  /** Work is done as time passes; a request that has ended leaves none. */
  #catchUp(now: number): void {
    const elapsed = now - this.#aheadAt;
    this.#aheadAt = now;
    this.#ahead = Math.max(0, Math.min(this.#ahead - elapsed, this.cost.inflight * this.cost.each));
    if (this.#idle === undefined) {
      this.#lead = BUDGET_MS + (this.#lead - BUDGET_MS) * Math.exp(-elapsed / LEAD_DECAY_MS);
      return;
    }
    const idle = this.loop.idle();
    this.#lead += idle - this.#idle;
    this.#idle = idle;
  }

  #whenPolled(): void {
    const now = this.loop.now();
    this.#awaitsPoll = false;
    if (this.#started > 0) this.#latest = now - this.#startedAt;
    this.#started = 0;
    this.#noteAccepted(now);
    this.polled();
  }

  #noteAccepted(now: number): void {
    const accepted = this.loop.accepted();
    const hasAccepted = accepted > this.#accepted;
    this.#accepted = accepted;
    this.#acceptingPolls = hasAccepted ? this.#acceptingPolls + 1 : 0;
    // Another poll shows whether it was the last connection.
    if (hasAccepted) this.wake();
    const wasAccepting = this.#isAccepting;
    this.#isAccepting = this.#acceptingPolls >= MIN_ACCEPTING_POLLS;
    if (!this.#isAccepting) return;
    if (!wasAccepting) this.#acceptingSince = now;
    this.#isAccepting = now - this.#acceptingSince < Math.max(BUDGET_MS, this.#latest);
  }
}
