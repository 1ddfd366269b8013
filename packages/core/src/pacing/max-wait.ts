import type { WorkCost } from './work-cost.ts';

/** Milliseconds after which clients are assumed to give up. */
const CLIENT_TIMEOUT_MS = 1000;

/** Milliseconds that a request may always wait: a shorter queue would reject random bursts that the server can handle. */
const MIN_MS = 250;

/** Milliseconds from the first waiter within which requests belong to a burst: CoDel tolerates a queue for as long. */
const BURST_MS = 100;

/** Number of waiters of a burst at most: a longer queue is an overload. */
const MAX_BURST = 100;

/** Computes how long a request may wait. */
export class MaxWait {
  /** When the queue began, unless it continues an overload. */
  #burstAt = -Infinity;
  #shedAt = -Infinity;

  constructor(
    private readonly cost: Pick<WorkCost, 'duration' | 'perRequest' | 'inflight'>,
    /** Upper bound in milliseconds. */
    private readonly max: number,
  ) {}

  /** A request is queued; `length` counts it. */
  queued(now: number, length: number): void {
    if (length > MAX_BURST) this.#burstAt = -Infinity;
    if (length > 1) return;
    this.#burstAt = now > this.#shedAt + CLIENT_TIMEOUT_MS ? now : -Infinity;
  }

  /** A waiter has been shed: what follows is no burst on an idle server. */
  shed(now: number): void {
    this.#shedAt = now;
  }

  /**
   * Milliseconds for which a request that arrived at `since` may still wait. A burst ends by itself, so it may use
   * all of the time that the client leaves.
   */
  remaining(now: number, since: number, isCritical: boolean, queued = Infinity): number {
    const { duration, perRequest, inflight } = this.cost;
    // Clients of requests that take long although the loop has time wait for longer.
    const longest = Math.max(
      MIN_MS,
      duration - 3 * perRequest,
      CLIENT_TIMEOUT_MS - duration - perRequest,
    );
    const isBurst = since < this.#burstAt + BURST_MS;
    // A queue that is soon served, as of a few clients that each wait for their answer, is no overload.
    const isShort = queued * duration <= MIN_MS * Math.max(1, inflight);
    const allowed = isCritical || isBurst || isShort ? longest : MIN_MS;
    return since + Math.min(allowed, longest, isCritical ? Infinity : this.max) - now;
  }
}
