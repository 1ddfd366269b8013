/** Work is stuck when it has not finished for this time, and for this many mean round trips. */
const STALL_MS = 1000;
const STALL_RTTS = 10;

/** The same until any work has finished. */
const FIRST_STALL_MS = 500;

/** The same for work that began while no request was queued: shorter work soon makes room by itself. */
const LONG_STALL_MS = 3000;

/** Round trips that the moving average weighs. */
const AVERAGED_RTTS = 10;

/** Part of the working weight that is stuck in a stall. */
const STUCK_PART = 0.5;

/** The weight that was in flight at a certain time, and has not finished since. */
class WatchedWork {
  from = -Infinity;
  #weight = 0;

  begin(now: number, inflight: number): void {
    this.from = now;
    this.#weight = inflight;
  }

  /** This weight has left; it had been in flight since `since`. */
  left(since: number, weight: number): void {
    // Work that began in the same millisecond may not have been counted.
    if (since <= this.from) this.#weight = Math.max(0, this.#weight - weight);
  }

  /** The watched weight that has not finished; 0 if most of the work in flight is other work. */
  stuck(inflight: number, idle: number): number {
    const stuck = this.#weight - idle;
    return stuck >= (inflight - idle) * STUCK_PART ? Math.max(0, stuck) : 0;
  }
}

/**
 * Notices a stall: requests are rejected although most of the work in flight does not finish, as if the server that it
 * waits for does not respond, or because it takes much longer than usual, as exports do. A few requests that still finish,
 * of other routes or because others have been given up, do not hide it.
 */
export class Stall {
  /** What was in flight when requests were queued or rejected. */
  readonly #crowded = new WatchedWork();
  /** What was in flight while none was: it may take long, and later hold all of a lower limit. */
  readonly #usual = new WatchedWork();
  /** Milliseconds after which the latter is stuck, as known when the watch began: if only it finishes, it raises the mean. */
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

  /** This weight has left; it had been in flight since `since`. */
  left(since: number, weight: number): void {
    this.#crowded.left(since, weight);
    this.#usual.left(since, weight);
  }

  /** A request is queued. If a stall was watched for only from a rejection on, it would be noticed later. */
  queued(now: number, inflight: number): void {
    this.#crowdedAt = now;
    const isOver = now - this.#crowded.from >= this.#needed;
    if (isOver && this.#crowded.stuck(inflight, 0) === 0) this.#crowded.begin(now, inflight);
  }

  /**
   * A request is rejected for lack of room. Returns the weight that is stuck, or 0 if there is no stall, or one has just been
   * noticed.
   *
   * @param idle The part of `inflight` that does no work: it is queued at another limit.
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
