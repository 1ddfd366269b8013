/** Time constant of the moving averages, in milliseconds: some twenty requests of 100 ms of computing. */
const TIME_CONSTANT_MS = 2000;

/** Number of requests finished while others are queued, below which the interval is unknown. */
const MIN_FINISHED = 10;

/** Faded number of such requests, below which the last interval is forgotten when the next queue begins. */
const MIN_REMAINING = 1;

/** The fraction for which sums of this age count. */
export const fadeAfter = (milliseconds: number) => Math.exp(-milliseconds / TIME_CONSTANT_MS);

/** Measures how fast requests are finished while others are queued. */
export class FinishRate {
  /** Milliseconds per finished request; 0 while that is not known. */
  interval = 0;
  /** Margin of error of `interval`, as a fraction of it: two standard errors of exponential intervals. */
  margin = 0;
  #queuedAt: number | undefined;
  #updatedAt = 0;
  /** Milliseconds during which requests were queued since the last update, and requests finished in that time. */
  #queued = 0;
  #finished = 0;
  /** The same before, fading. */
  #earlierQueued = 0;
  #earlierFinished = 0;

  /** Whether requests are queued. */
  get isQueueing(): boolean {
    return this.#queuedAt !== undefined;
  }

  /** The queue is no longer empty. */
  queueingStarted(now: number): void {
    this.#queuedAt = now;
    const remaining = this.#earlierFinished * fadeAfter(now - this.#updatedAt);
    // An old overload must not shorten the queue of a burst.
    if (remaining < MIN_REMAINING) this.interval = 0;
  }

  /** The queue is empty again. */
  queueingEnded(now: number): void {
    this.#addQueued(now);
    this.#queuedAt = undefined;
  }

  finished(): void {
    if (this.#queuedAt !== undefined) this.#finished++;
  }

  /** Leaves out the last milliseconds, in which no request could finish. */
  skip(now: number, milliseconds: number): void {
    if (this.#queuedAt === undefined) return;
    // A part of them has been counted already if requests have been forgotten meanwhile.
    this.#queuedAt = Math.min(now, this.#queuedAt + milliseconds);
  }

  /** @param isCold Whether the rate measured so far must be forgotten, since the code is not compiled yet. */
  update(now: number, isCold: boolean): void {
    this.#addQueued(now);
    const fade = fadeAfter(now - this.#updatedAt);
    this.#updatedAt = now;
    this.#earlierQueued = isCold ? 0 : this.#earlierQueued * fade + this.#queued;
    this.#earlierFinished = isCold ? 0 : this.#earlierFinished * fade + this.#finished;
    this.#queued = 0;
    this.#finished = 0;
    if (this.#earlierFinished < MIN_FINISHED) return;
    this.interval = this.#earlierQueued / this.#earlierFinished;
    this.margin = 2 / Math.sqrt(this.#earlierFinished);
  }

  #addQueued(now: number): void {
    if (this.#queuedAt === undefined) return;
    this.#queued += now - this.#queuedAt;
    this.#queuedAt = now;
  }
}
