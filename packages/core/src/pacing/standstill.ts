import { LONG_QUEUE_MS } from './burst.ts';
import type { EventLoop } from './event-loop.ts';
import type { WorkCost } from './work-cost.ts';

/** Minimum milliseconds of a standstill: less than any maximum wait, and more than most random gaps. */
const MIN_MS = 200;

/** The same as a multiple of the duration of a request. */
const MIN_DURATIONS = 2;

/** Maximum milliseconds until all requests that were queued in a standstill are served: none waits for longer than that. */
const MAX_CATCHING_UP_MS = 1000;

/**
 * Recognizes a standstill: requests are queued, and none in flight finishes although the loop is idle, as during a pause of
 * a database. It is not caused by the load, and ends by itself.
 */
export class Standstill {
  #queuedAt = 0;
  /** When a request last left or the queue began, and the idle time of the loop then. */
  #movedAt = 0;
  #idleWhenMoved = 0;
  /** Until when the requests that arrive are still delayed by the latest standstill. */
  #caughtUpAt = -Infinity;

  constructor(
    private readonly loop: EventLoop,
    private readonly cost: Pick<WorkCost, 'duration'>,
  ) {}

  queueingStarted(now: number): void {
    this.#queuedAt = now;
    this.#restart(now);
  }

  /** A request in flight has left while others are queued. Returns the milliseconds of the standstill that this ends, or 0. */
  requestLeft(now: number): number {
    const duration = this.#isNow ? now - this.#movedAt : 0;
    // To serve what has arrived meanwhile takes about as long.
    if (duration > 0 && !this.#isAfterOverload)
      this.#caughtUpAt = now + Math.min(duration, MAX_CATCHING_UP_MS);
    this.#restart(now);
    return duration;
  }

  /** Whether a standstill delays a request that is queued now and arrived at this time. */
  includes(since: number): boolean {
    return since < this.#caughtUpAt || (!this.#isAfterOverload && this.#isNow);
  }

  get #isNow(): boolean {
    const least = Math.max(MIN_MS, MIN_DURATIONS * this.cost.duration);
    return this.loop.idle() - this.#idleWhenMoved > least;
  }

  /** Whether the queue was long before: such a server does not catch up. */
  get #isAfterOverload(): boolean {
    return this.#movedAt - this.#queuedAt > LONG_QUEUE_MS;
  }

  #restart(now: number): void {
    this.#movedAt = now;
    this.#idleWhenMoved = this.loop.idle();
  }
}
