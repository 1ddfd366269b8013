/** Maximum time that starts may be held back for connections, in milliseconds. */
const MAX_ACCEPT_TIME_MS = 100;

/** A shorter pause is not started: the requests in flight would not finish during it, and keep each iteration long. */
const MIN_ACCEPT_TIME_MS = 30;

/** Maximum time of one iteration that counts as spent on connections while requests compute: the rest is theirs. */
const MAX_ITERATION_MS = 5;

/** Fewer consecutive polls that accept a connection may be chance. */
const MIN_ACCEPTING_POLLS = 2;

/**
 * Holds starts back until the next poll while connections are being accepted: Node accepts one per
 * iteration (libuv since 1.45), so that behind long iterations connections wait where nothing can reject them. For at
 * most half of the time.
 */
export class AcceptPause {
  isActive = false;
  /** Number of connections accepted before the last poll. */
  #accepted = 0;
  /** Number of consecutive polls that accepted a connection. */
  #polls = 0;
  /** Milliseconds for which starts may still be held back: as long as the loop has worked on requests before. */
  #timeLeft = 0;
  #polledAt = 0;

  /**
   * Notes a poll; returns whether it accepted a connection.
   *
   * @param accepted Number of connections accepted so far.
   * @param busyPart The part of their duration for which the requests in flight keep the loop busy, if there were any.
   */
  polled(now: number, accepted: number, busyPart: number | undefined): boolean {
    const hasAccepted = accepted > this.#accepted;
    this.#accepted = accepted;
    this.#polls = hasAccepted ? this.#polls + 1 : 0;
    const elapsed = now - this.#polledAt;
    this.#polledAt = now;
    if (this.isActive) this.#timeLeft -= this.#timeSpent(elapsed, busyPart);
    else this.#timeLeft = Math.min(this.#timeLeft + elapsed, MAX_ACCEPT_TIME_MS);
    const needed = this.isActive ? 0 : MIN_ACCEPT_TIME_MS;
    this.isActive = this.#polls >= MIN_ACCEPTING_POLLS && this.#timeLeft > needed;
    return hasAccepted;
  }

  #timeSpent(elapsed: number, busyPart: number | undefined): number {
    if (busyPart === undefined) return elapsed;
    const computing = busyPart * Math.max(0, elapsed - MAX_ITERATION_MS);
    // While requests only wait, the time counts twice: later, the loop is idle for lack of the requests held back.
    const idleLater = elapsed * (1 - busyPart);
    return elapsed - computing + idleLater;
  }
}
