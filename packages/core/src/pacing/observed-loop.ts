import type { EventLoop } from './event-loop.ts';

/**
 * The event loop of a runtime that does not report its idle time, but calls back after each poll. It counts as busy from
 * each request for such a callback until the callback, because a loop with a pending callback does not wait. What handlers
 * do after later polls may go unnoticed, so the loop seems to be idle for longer than it is.
 */
export class ObservedLoop implements EventLoop {
  readonly isMeasured = true;
  #busy = 0;
  /** When the pending callback was requested. */
  #since: number | undefined;

  constructor(
    readonly now: () => number,
    private readonly setImmediate: (callback: () => void) => unknown,
  ) {}

  idle(): number {
    const now = this.now();
    return now - this.#busy - (this.#since === undefined ? 0 : now - this.#since);
  }

  /** Only Node accepts a single connection per iteration, which `AcceptPause` compensates for. */
  accepted(): number {
    return 0;
  }

  whenPolled(callback: () => void): void {
    const since = this.now();
    this.#since ??= since;
    this.setImmediate(() => {
      if (this.#since !== undefined) this.#busy += this.now() - this.#since;
      this.#since = undefined;
      callback();
    });
  }
}
