import type { Clock } from '@headgate/core';

/** Maximum delay of a timer in milliseconds. Longer timers fire immediately. */
export const MAX_TIMER = 2 ** 31 - 1;

/** A signal that aborts with another one, or after a time. Without a time, it is the other signal. */
export class TimedSignal {
  readonly signal: AbortSignal | undefined;
  /** Time of the clock at which it aborts; Infinity if it does not. */
  readonly due: number = Infinity;
  readonly #parent: AbortSignal | undefined;
  #timer: unknown;
  #abort: (() => void) | undefined;

  constructor(
    parent: AbortSignal | undefined,
    time: number,
    private readonly clock: Clock,
  ) {
    this.#parent = parent;
    this.signal = parent;
    if (time > MAX_TIMER) return;
    const controller = new AbortController();
    this.signal = controller.signal;
    this.due = clock.now() + time;
    const late = () => controller.abort(new DOMException('the server is too slow', 'TimeoutError'));
    this.#timer = clock.setTimeout(late, time);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
    this.#abort = () => controller.abort(parent?.reason);
    // Removed by `end`, since the other signal may live longer than the call.
    if (parent?.aborted) this.#abort();
    else parent?.addEventListener('abort', this.#abort);
  }

  /** From now on, it aborts only with the other signal. */
  stopTimer(): void {
    if (this.#timer !== undefined) this.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  end(): void {
    this.stopTimer();
    if (this.#abort !== undefined) this.#parent?.removeEventListener('abort', this.#abort);
  }
}
