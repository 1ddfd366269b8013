import { type EventLoop, MAX_TURN_MS } from './event-loop.ts';
import type { WorkCost } from './work-cost.ts';

/** Milliseconds after which clients are assumed to give up. */
const CLIENT_TIMEOUT_MS = 1000;

/** Milliseconds that a request may wait by default: a shorter wait would reject random bursts that the server can handle. */
export const USUAL_WAIT_MS = 250;

/**
 * Requests queued within this many milliseconds of the first waiter belong to its burst. CoDel tolerates a queue for as
 * long.
 */
const BURST_MS = 100;

/** With more waiters, no waiter belongs to a burst: such a queue is an overload. */
const MAX_BURST = 100;

/** Computes how long a request may wait. */
export class MaxWait {
  /** When the first waiter was queued; −Infinity if the queue is no burst. */
  #burstAt = -Infinity;
  #shedAt = -Infinity;
  /** The loop's idle time when the latest request was queued. */
  #idleAtLatest = Infinity;

  constructor(
    private readonly cost: Pick<WorkCost, 'duration' | 'perRequest' | 'inflight'>,
    /** Upper bound in milliseconds. */
    private readonly max: number,
    private readonly loop: Pick<EventLoop, 'idle'>,
  ) {}

  /** A request is queued; `length` counts it. */
  queued(now: number, length: number): void {
    this.#idleAtLatest = this.loop.idle();
    if (length > MAX_BURST) this.#burstAt = -Infinity;
    if (length > 1) return;
    this.#burstAt = now > this.#shedAt + CLIENT_TIMEOUT_MS ? now : -Infinity;
  }

  /** A waiter has been shed, so a queue that begins within the next second continues an overload. */
  shed(now: number): void {
    this.#shedAt = now;
  }

  /**
   * Milliseconds for which a request that was queued at `since` may still wait. A burst ends by itself, so it may use
   * all of the time that the client leaves.
   */
  remaining(now: number, since: number, isCritical: boolean, queued = Infinity): number {
    const { duration, perRequest, inflight } = this.cost;
    // What a client leaves for waiting. A request that takes long without keeping the loop busy may wait as long as it
    // takes.
    const longest = Math.max(
      USUAL_WAIT_MS,
      duration - 3 * perRequest,
      CLIENT_TIMEOUT_MS - duration - perRequest,
    );
    const isBurst = since < this.#burstAt + BURST_MS;
    // A queue that is served within the usual wait, as that of a few clients that await each answer, is no overload.
    const isShort = duration > 0 && queued * duration <= USUAL_WAIT_MS * Math.max(1, inflight);
    const allowed = isCritical || isBurst || isShort || this.#isOver ? longest : USUAL_WAIT_MS;
    return since + Math.min(allowed, longest, isCritical ? Infinity : this.max) - now;
  }

  /**
   * Whether no request has followed although the loop has waited for events for longer than the longest turn: shedding would
   * make room for none. With half of that, a gap between two requests of an overload counts as its end. The time in which
   * the loop is busy does not count, since requests may have arrived that it has not read.
   */
  get #isOver(): boolean {
    return this.loop.idle() - this.#idleAtLatest >= MAX_TURN_MS;
  }
}
