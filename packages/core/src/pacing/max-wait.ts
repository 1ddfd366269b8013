import type { WorkCost } from './work-cost.ts';

/** Milliseconds after which clients are assumed to give up. */
const CLIENT_TIMEOUT_MS = 1000;

/** Milliseconds that a request may always wait: a shorter queue would reject random bursts that the server can handle. */
const MIN_MS = 250;

/** Milliseconds from the first waiter within which requests belong to a burst: CoDel tolerates a queue for as long. */
const BURST_MS = 100;

/** Number of waiters of a burst at most: a longer queue is an overload. */
const MAX_BURST = 100;

/** Milliseconds without a finished request after which a server that the handlers call seems to pause. */
const PAUSE_MS = 200;

/** Computes how long a request may wait. */
export class MaxWait {
  /** When the queue began, unless it continues an overload. */
  #burstAt = -Infinity;
  #shedAt = -Infinity;
  /** When a request last finished or the queue began. */
  #movedAt = 0;
  /** The latest time in which requests were queued and none finished. */
  #pause = { from: 0, to: 0 };

  constructor(
    private readonly cost: Pick<WorkCost, 'duration' | 'perRequest' | 'inflight'>,
    /** Upper bound in milliseconds. */
    private readonly max: number,
  ) {}

  /** A request is queued; `length` counts it. */
  queued(now: number, length: number): void {
    if (length > MAX_BURST) this.#burstAt = -Infinity;
    if (length > 1) return;
    this.#movedAt = now;
    this.#burstAt = now > this.#shedAt + CLIENT_TIMEOUT_MS ? now : -Infinity;
  }

  /** A waiter has been shed: what follows is no burst on an idle server. */
  shed(now: number): void {
    this.#shedAt = now;
  }

  /** @param isQueueing Whether requests are queued, so that a time in which none has finished is a pause. */
  finished(now: number, isQueueing: boolean): void {
    if (isQueueing && this.#isPause(now)) this.#pause = { from: this.#movedAt, to: now };
    this.#movedAt = now;
  }

  /**
   * Milliseconds for which a request that arrived at `since` may still wait. A pause is not its fault, and a burst ends by
   * itself, so both may use all of the time that the client leaves.
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
    const allowed =
      isCritical || isBurst || isShort ? longest : MIN_MS + this.#pausedSince(since, now);
    return since + Math.min(allowed, longest, this.max) - now;
  }

  #pausedSince(since: number, now: number): number {
    const { from, to } = this.#pause;
    const earlier = Math.max(0, to - Math.max(from, since));
    return earlier + (this.#isPause(now) ? now - Math.max(this.#movedAt, since) : 0);
  }

  #isPause(now: number): boolean {
    return now - this.#movedAt > Math.max(PAUSE_MS, 2 * this.cost.duration);
  }
}
