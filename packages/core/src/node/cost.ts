import type { EventLoop } from './event-loop.ts';

/** Milliseconds in which what was measured counts for a third. */
const memory = 3000;

/** The part of the time for which a loop is busy that has no room for more. */
const full = 0.9;

/** How much faster than the loop seems to be requests may come, so that it shows how fast it is. */
const lead = 1.1;

/**
 * What requests cost the loop, sooner or later: a handler that first awaits something takes its time in a later turn, when it is
 * too late to turn others away.
 */
export class Cost {
  /** Milliseconds of a request, as if nothing else kept the loop busy. */
  each = 0;
  #admitted = 0;
  /** Since the last update. */
  #latest = 0;
  #busy = 0;
  #idle: number;
  #owed = 0;
  #owedAt = 0;
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly loop: EventLoop) {
    this.#idle = loop.idle();
  }

  admitted(): void {
    this.#owed = this.#left() + this.each;
    this.#owedAt = this.loop.now();
    this.#latest++;
  }

  /** Milliseconds of work that those who were let in are ahead of the loop; none while it has had time to spare lately. */
  get ahead(): number {
    return this.loop.now() - this.#fullAt > memory ? 0 : this.#left();
  }

  /** So long after the last time, in milliseconds. */
  update(elapsed: number): void {
    const idle = this.loop.idle();
    const busy = elapsed - (idle - this.#idle);
    const fade = Math.exp(-elapsed / memory);
    this.#idle = idle;
    this.#busy = this.#busy * fade + busy;
    this.#admitted = this.#admitted * fade + this.#latest;
    this.#latest = 0;
    this.each = this.#busy / Math.max(1, this.#admitted);
    if (busy > full * elapsed) this.#fullAt = this.loop.now();
  }

  #left(): number {
    return Math.max(0, this.#owed - lead * (this.loop.now() - this.#owedAt));
  }
}
