import type { EventLoop } from './event-loop.ts';
import type { WorkCost } from './work-cost.ts';

/** Minimum milliseconds of a standstill: shorter than any maximum wait, and longer than random gaps. */
const MIN_MS = 200;

/** The same as a multiple of the duration of a request. */
const MIN_DURATIONS = 2;

/**
 * Recognizes a standstill: requests are queued and none finishes although the loop is idle, as while a database pauses for
 * a checkpoint or a failover. A server without a queue would answer after the pause what has arrived meanwhile.
 */
export class Standstill {
  /** Arrivals between these times belong to the latest standstill that has ended. */
  #begin = 0;
  #end = -Infinity;
  /** When the queue began or a request last finished, and the total idle time of the loop then. */
  #movedAt = 0;
  #idle = 0;

  constructor(
    private readonly loop: EventLoop,
    private readonly cost: Pick<WorkCost, 'duration'>,
  ) {}

  queueingStarted(now: number): void {
    this.#movedAt = now;
    this.#idle = this.loop.idle();
  }

  /** A request has left while others are queued. Returns whether that ends a standstill. */
  left(now: number): boolean {
    const hasEnded = this.#isNow;
    if (hasEnded) {
      // To serve what has arrived meanwhile takes about as long again, and delays those that arrive until then.
      if (this.#movedAt >= this.#end) this.#begin = this.#movedAt;
      this.#end = 2 * now - this.#movedAt;
    }
    this.queueingStarted(now);
    return hasEnded;
  }

  /** Whether a request that arrived at this time is delayed by a standstill. */
  delays(since: number): boolean {
    return (since >= this.#begin && since < this.#end) || (since >= this.#movedAt && this.#isNow);
  }

  get #isNow(): boolean {
    const least = Math.max(MIN_MS, MIN_DURATIONS * this.cost.duration);
    return this.loop.idle() - this.#idle > least;
  }
}
