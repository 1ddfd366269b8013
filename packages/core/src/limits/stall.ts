import { AVERAGED, averaged } from './estimate.ts';

/** Work is stuck if it has not finished for this number of milliseconds, and for as many mean round trips as are averaged. */
const STALL_MS = 500;

/**
 * Detects a stall: requests are rejected although most of the work in flight does not finish. The server that it waits
 * for does not respond, or the work takes much longer than usual, as exports do. Some requests may still finish, for
 * instance those of other routes.
 */
export class Stall {
  /** When the watch began, and the weight that was in flight then and has not finished since. */
  #from = -Infinity;
  #weight = 0;
  /** Milliseconds after which this weight is stuck. Computed when the watch begins: work that finishes raises the mean. */
  #patience = 0;
  /** Moving average of the round trips in milliseconds. */
  #rtt = 0;

  finished(rtt: number): void {
    this.#rtt = averaged(this.#rtt, rtt);
  }

  /** This weight, in flight since `since`, has left. */
  left(since: number, weight: number): void {
    // Work that began in the same millisecond as the watch may not have been counted.
    if (since <= this.#from) this.#weight = Math.max(0, this.#weight - weight);
  }

  /** A request is queued. A watch that begins at a rejection would detect the stall later. */
  queued(now: number, inflight: number): void {
    if (now - this.#from >= this.#patience && 2 * this.#weight < inflight)
      this.#watch(now, inflight);
  }

  /**
   * A request is rejected for lack of room. Returns the weight that is stuck, or 0 if that is less than half of what works.
   *
   * @param idle The part of `inflight` that does no work, since it is queued at another limit.
   */
  rejected(now: number, inflight: number, idle: number): number {
    if (now - this.#from < this.#patience) return 0;
    const stuck = this.#weight - idle;
    this.#watch(now, inflight);
    return 2 * stuck >= inflight - idle ? Math.max(0, stuck) : 0;
  }

  #watch(now: number, inflight: number): void {
    this.#from = now;
    this.#weight = inflight;
    this.#patience = Math.max(STALL_MS, AVERAGED * this.#rtt);
  }
}
