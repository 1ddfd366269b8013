import type { Clock } from '@headgate/core';

/** Maximum delay of a timer in milliseconds. Longer timers fire immediately. */
export const MAX_TIMER = 2 ** 31 - 1;

/** A signal that aborts with another one, or after a time. Without a time, it is the other signal. */
export class TimedSignal {
  readonly signal: AbortSignal | undefined;
  /** Time of the clock at which it aborts; Infinity if it does not. */
  readonly due: number = Infinity;
  #timer: unknown;
  /** Stops listening to the other signal, which may live longer than the call. */
  #unlisten: (() => void) | undefined;

  constructor(
    parent: AbortSignal | undefined,
    time: number,
    private readonly clock: Clock,
    message: () => string,
  ) {
    this.signal = parent;
    if (time > MAX_TIMER) return;
    const controller = new AbortController();
    this.signal = controller.signal;
    this.due = clock.now() + time;
    const late = () => controller.abort(new DOMException(message(), 'TimeoutError'));
    this.#timer = clock.setTimeout(late, time);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
    const abort = () => controller.abort(parent?.reason);
    if (parent?.aborted) abort();
    else this.#unlisten = parent && onAbort(parent, abort);
  }

  /** From now on, it aborts only with the other signal. */
  stopTimer(): void {
    if (this.#timer !== undefined) this.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  end(): void {
    this.stopTimer();
    this.#unlisten?.();
  }
}

/** What one listener of a signal calls. With a listener for each call, Node 20 would warn of a leak at the eleventh. */
class Callbacks extends Set<() => void> {
  readonly call = (): void => {
    for (const callback of this) callback();
  };
}

const callbacksOf = new WeakMap<AbortSignal, Callbacks>();

/** Calls `callback` when the signal aborts, unless the returned function was called before. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = callbacksOf.get(signal) ?? new Callbacks();
  if (callbacks.size === 0) {
    callbacksOf.set(signal, callbacks);
    signal.addEventListener('abort', callbacks.call);
  }
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0)
      signal.removeEventListener('abort', callbacks.call);
  };
}
