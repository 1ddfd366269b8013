/** Work is stuck when it has not finished for this time, and for this many mean round trips. */
const STALL_MS = 1000;
const STALL_RTTS = 10;

/** The same until any work has finished. */
const FIRST_STALL_MS = 500;

/** Round trips that the moving average weighs. */
const AVERAGED_RTTS = 10;

/** Part of the working weight that is stuck in a stall. */
const STUCK_PART = 0.5;

/**
 * Notices a stall: requests are rejected although most of the work in flight does not finish, as if the server that it
 * waits for does not respond. A few requests that still finish, of other routes or because others have been given
 * up, do not hide it.
 */
export class Stall {
  /** Weight that was in flight at `#watchedFrom` and has not finished since. */
  #unfinished = 0;
  #watchedFrom = -Infinity;
  /** Moving average of the round trips in milliseconds; 0 until one is known. */
  #rtt = 0;

  finished(rtt: number): void {
    this.#rtt += (rtt - this.#rtt) / (this.#rtt ? AVERAGED_RTTS : 1);
  }

  /** This weight has left; it had been in flight since `since`. */
  left(since: number, weight: number): void {
    // Work that began in the same millisecond may not have been counted.
    if (since <= this.#watchedFrom) this.#unfinished = Math.max(0, this.#unfinished - weight);
  }

  /** A request is queued. If a stall was watched for only from a rejection on, it would be noticed later. */
  queued(now: number, inflight: number): void {
    if (this.#isOver(now) && this.#stuck(inflight, 0) === 0) this.#watch(now, inflight);
  }

  /**
   * A request is rejected for lack of room. Returns the weight that is stuck, or 0 if there is no stall, or one has just been
   * noticed.
   *
   * @param idle The part of `inflight` that does no work: it is queued at another limit.
   */
  rejected(now: number, inflight: number, idle: number): number {
    if (!this.#isOver(now)) return 0;
    const stuck = this.#stuck(inflight, idle);
    this.#watch(now, inflight);
    return stuck;
  }

  /** Whether the watched work should have finished by now. */
  #isOver(now: number): boolean {
    const needed = this.#rtt ? Math.max(STALL_MS, STALL_RTTS * this.#rtt) : FIRST_STALL_MS;
    return now - this.#watchedFrom >= needed;
  }

  /** The watched weight that has not finished; 0 if most of the work has. */
  #stuck(inflight: number, idle: number): number {
    const stuck = this.#unfinished - idle;
    return stuck >= (inflight - idle) * STUCK_PART ? Math.max(0, stuck) : 0;
  }

  #watch(now: number, inflight: number): void {
    this.#watchedFrom = now;
    this.#unfinished = inflight;
  }
}
