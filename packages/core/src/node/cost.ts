import type { EventLoop } from './event-loop.ts';

/** Milliseconds after which a measurement counts for about a third. */
const timeConstant = 3000;

/** Fewer requests than this in that time tell nothing: what else kept the loop busy would be put down to them. */
const enough = 20;

/** The part of the time for which a loop is busy that has no room for more. */
const full = 0.9;

/** Milliseconds of full load after which the time to spare has shrunk to about a third. */
const haste = 100;

/** Milliseconds to spare with which requests need not be held back. */
const plenty = 1000;

/** Requests may come this much faster than the measured pace, so that the loop can show whether it does more. */
const lead = 1.2;

/**
 * What a request costs the loop. Work after an `await` falls into a later turn, when it is too late to refuse others; so
 * admissions may run only so far ahead of the work.
 */
export class Cost {
  /** Milliseconds of a request, as if nothing else kept the loop busy. */
  each = 0;
  #busy = 0;
  #admitted = 0;
  /** Since the last update. */
  #latest = 0;
  #idle: number;
  /** Milliseconds that the loop has had to spare since there was no room for more. */
  #spare = plenty;
  #owed = 0;
  #owedAt = 0;

  constructor(private readonly loop: EventLoop) {
    this.#idle = loop.idle();
  }

  /** A request is let in now. */
  admit(now: number): void {
    this.#latest++;
    this.#owed = this.ahead(now) + this.each;
    this.#owedAt = now;
  }

  /** Milliseconds of work by which those who were let in are ahead of the loop; none where it has time to spare. */
  ahead(now: number): number {
    if (this.#spare >= plenty || this.#admitted < enough) return 0;
    const pace = lead + (2 * this.#spare) / plenty;
    return Math.max(0, this.#owed - pace * (now - this.#owedAt));
  }

  /** So long after the last time, in milliseconds. */
  update(elapsed: number): void {
    const before = this.#idle;
    this.#idle = this.loop.idle();
    const idle = this.#idle - before;
    const busy = elapsed - idle;
    const fade = Math.exp(-elapsed / timeConstant);
    this.#busy = this.#busy * fade + busy;
    this.#admitted = this.#admitted * fade + this.#latest;
    this.#latest = 0;
    this.each = this.#busy / Math.max(1, this.#admitted);
    if (busy > full * elapsed) this.#spare *= Math.exp(-elapsed / haste);
    else this.#spare = Math.min(plenty, this.#spare + idle);
  }
}
