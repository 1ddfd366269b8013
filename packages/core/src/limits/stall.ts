/** Work is stuck if it has not finished for this time, and for this many mean round trips. */
const STALL_MS = 1000;
const STALL_RTTS = 10;

/** Until any work has finished, work is stuck after this time instead. */
const FIRST_STALL_MS = 500;

/**
 * Work that began while no request was queued is stuck after this time: if it is merely slow, it soon makes room by
 * itself.
 */
const LONG_STALL_MS = 3000;

/** Number of round trips that the moving average covers. */
const AVERAGED_RTTS = 10;

/** In a stall, at least this fraction of the working weight is stuck. */
const STUCK_PART = 0.5;

/** The weight that was in flight at a certain time and has not finished since. */
class WatchedWork {
  from = -Infinity;
  #weight = 0;

  begin(now: number, inflight: number): void {
    this.from = now;
    this.#weight = inflight;
  }

  /** This weight, in flight since `since`, has left. */
  left(since: number, weight: number): void {
    // Work that began in the same millisecond as the watch may not have been counted.
    if (since <= this.from) this.#weight = Math.max(0, this.#weight - weight);
  }

  /** The watched weight that has not finished, or 0 if it is only a small part of the work in flight. */
  stuck(inflight: number, idle: number): number {
    const stuck = this.#weight - idle;
    return stuck >= (inflight - idle) * STUCK_PART ? Math.max(0, stuck) : 0;
  }
}

/**
 * Detects a stall: requests are rejected although most of the work in flight does not finish. The server that it waits
 * for does not respond, or the work takes much longer than usual, as exports do. Some requests may still finish, for
 * instance those of other routes.
 */
export class Stall {
  /** The work that was in flight when requests were queued or rejected. */
  readonly #crowded = new WatchedWork();
  /** The work that was in flight while no request was queued. It may take long, and later use all of a lower limit. */
  readonly #usual = new WatchedWork();
  /**
   * Milliseconds after which work in `#usual` is stuck. Computed when the watch begins: once this work finishes, it
   * raises the mean.
   */
  #patience = 0;
  #crowdedAt = -Infinity;
  /** Moving average of the round trips in milliseconds; 0 until one is known. */
  #rtt = 0;

  finished(now: number, rtt: number, inflight: number): void {
    this.#rtt += (rtt - this.#rtt) / (this.#rtt ? AVERAGED_RTTS : 1);
    const patience = Math.max(LONG_STALL_MS, this.#needed);
    if (now - Math.max(this.#crowdedAt, this.#usual.from) < patience) return;
    this.#usual.begin(now, inflight);
    this.#patience = patience;
  }

  /** This weight, in flight since `since`, has left. */
  left(since: number, weight: number): void {
    this.#crowded.left(since, weight);
    this.#usual.left(since, weight);
  }

  /**
   * A request is queued. Watches from now on, since a watch that begins at a rejection would detect the stall later.
   */
  queued(now: number, inflight: number): void {
    this.#crowdedAt = now;
    const isOver = now - this.#crowded.from >= this.#needed;
    if (isOver && this.#crowded.stuck(inflight, 0) === 0) this.#crowded.begin(now, inflight);
  }

  /**
   * A request is rejected for lack of room. Returns the weight that is stuck. Returns 0 if there is no stall, or if one
   * was detected a moment ago.
   *
   * @param idle The part of `inflight` that does no work, since it is queued at another limit.
   */
  rejected(now: number, inflight: number, idle: number): number {
    this.#crowdedAt = now;
    const isLong = now - this.#usual.from >= this.#patience;
    const long = isLong ? this.#usual.stuck(inflight, idle) : 0;
    if (long > 0) this.#usual.begin(now, 0);
    else if (now - this.#crowded.from < this.#needed) return 0;
    const stuck = long || this.#crowded.stuck(inflight, idle);
    this.#crowded.begin(now, inflight);
    return stuck;
  }

  /** Milliseconds after which work that has not finished is stuck. */
  get #needed(): number {
    return this.#rtt ? Math.max(STALL_MS, STALL_RTTS * this.#rtt) : FIRST_STALL_MS;
  }
}
