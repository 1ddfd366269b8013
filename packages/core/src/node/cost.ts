import type { MeasuredLoop } from './event-loop.ts';

/** Time constant of the moving averages, in milliseconds. */
const TIME_CONSTANT_MS = 3000;

/** Minimum number of requests for an estimate; with fewer, unrelated work of the loop would be attributed to them. */
const MIN_REQUESTS = 20;

/** Busy fraction of the time from which a loop counts as fully loaded. */
const FULL_LOAD = 0.9;

/** Time constant at which spare time decays under full load, in milliseconds. */
const SPARE_DECAY_MS = 100;

/** Spare time from which requests are not held back, in milliseconds. */
const MAX_SPARE_MS = 1000;

/** How much faster than measured requests may be admitted, so that the loop can show whether it handles more. */
const PACE_MARGIN = 1.2;

/**
 * Estimates what a request costs the event loop. Work after an `await` runs in a later iteration, too late to reject
 * other requests, so admissions may only run ahead of the work by a bounded amount.
 */
export class Cost {
  /** Estimated milliseconds per request, as if only requests kept the loop busy. */
  perRequest = 0;
  #busy = 0;
  #admitted = 0;
  /** Requests admitted since the last update. */
  #latest = 0;
  #idle: number;
  /** Idle milliseconds of the loop since it was last fully loaded, at most MAX_SPARE_MS. */
  #spare = MAX_SPARE_MS;
  #owed = 0;
  #owedAt = 0;

  constructor(private readonly loop: MeasuredLoop) {
    this.#idle = loop.idle();
  }

  /** Records the admission of a request. */
  admit(now: number): void {
    this.#latest++;
    this.#owed = this.ahead(now) + this.perRequest;
    this.#owedAt = now;
  }

  /** Milliseconds of work by which admissions are ahead of the loop; 0 if the loop has spare time. */
  ahead(now: number): number {
    if (this.#spare >= MAX_SPARE_MS || this.#admitted < MIN_REQUESTS) return 0;
    const pace = PACE_MARGIN + (2 * this.#spare) / MAX_SPARE_MS;
    return Math.max(0, this.#owed - pace * (now - this.#owedAt));
  }

  /** Updates the estimates; `elapsed` is the time since the last update in milliseconds. */
  update(elapsed: number): void {
    const before = this.#idle;
    this.#idle = this.loop.idle();
    const idle = this.#idle - before;
    const busy = elapsed - idle;
    const fade = Math.exp(-elapsed / TIME_CONSTANT_MS);
    this.#busy = this.#busy * fade + busy;
    this.#admitted = this.#admitted * fade + this.#latest;
    this.#latest = 0;
    this.perRequest = this.#busy / Math.max(1, this.#admitted);
    if (busy > FULL_LOAD * elapsed) this.#spare *= Math.exp(-elapsed / SPARE_DECAY_MS);
    else this.#spare = Math.min(MAX_SPARE_MS, this.#spare + idle);
  }
}
