import type { EventLoop } from './event-loop.ts';

/** Milliseconds in which what was measured counts for a third. */
const memory = 1000;

/** The part of the time for which a loop is busy that has no room for more. */
const full = 0.9;

/** What a request costs the loop, sooner or later: a handler that first awaits something takes its time in a later turn. */
export class Cost {
  /** Requests that were let in, counted by the guard. */
  admitted = 0;
  /** Milliseconds for each, as if nothing else kept the loop busy. */
  each = 0;
  /** Whether the loop has had no time to spare. */
  isFull = false;
  #busy = 0;
  #idle: number;

  constructor(private readonly loop: EventLoop) {
    this.#idle = loop.idle();
  }

  /** So long after the last time, in milliseconds. */
  update(elapsed: number): void {
    const idle = this.loop.idle();
    const busy = elapsed - (idle - this.#idle);
    const fade = Math.exp(-elapsed / memory);
    this.#idle = idle;
    this.#busy = this.#busy * fade + busy;
    this.each = this.#busy / Math.max(1, this.admitted);
    this.isFull = busy > full * elapsed;
    this.admitted *= fade;
  }
}
