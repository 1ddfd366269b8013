import { RejectedError } from '@headgate/core';
import {
  checkCount,
  checkDuration,
  checkNames,
  checkText,
  invalid,
  longestTimer,
} from '@headgate/core/shared';
import type { Holder } from './holder.ts';
import type { Patience } from './persist.ts';

export interface LockOptions {
  /** How much of the semaphore it takes. Default: 1. */
  readonly count?: number | undefined;
  /** Milliseconds that it may wait; 0: it does not wait. Default: Infinity. */
  readonly timeout?: number | undefined;
  /** Ends the wait; `lock` rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Work that goes on after its caller was answered. */
export type Background = (work: Promise<void>) => void;

/** A place under a semaphore, kept alive until it is released. */
export class Lock {
  readonly #holder: Holder;
  readonly #background: Background;
  #released: Promise<void> | undefined;

  /** @internal */
  constructor(
    readonly semaphore: string,
    readonly count: number,
    holder: Holder,
    background: Background,
  ) {
    this.#holder = holder;
    this.#background = background;
  }

  /**
   * Aborts when the lock may be somebody else's: the service could not be reached for 0.9 of its lease, or says that it
   * is gone. Whoever works under it must stop.
   */
  get signal(): AbortSignal {
    return this.#holder.signal;
  }

  /**
   * Another lock for the same holder. The service refuses one whose level is not below that of each that is held, so that
   * nobody waits in a circle. As `ThrottleClient.lock` else.
   */
  lock(semaphore: string, options?: LockOptions): Promise<Lock> {
    return lockFor(this.#holder, semaphore, options, this.#background);
  }

  /**
   * Resolves when the service has heard, the lease has run out, or ten attempts in a row have failed; never rejects. What
   * is released again stays so.
   */
  release(): Promise<void> {
    this.#released ??= this.#holder.release(this.semaphore);
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

/** @internal */
export async function lockFor(
  holder: Holder,
  semaphore: string,
  options: LockOptions = {},
  background: Background,
): Promise<Lock> {
  const { count, timeout, signal } = checked(semaphore, options);
  signal?.throwIfAborted();
  holder.checkIdle(semaphore);
  const wait = new Wait(timeout, signal);
  let isHeld = false;
  try {
    isHeld = (await holder.acquire(semaphore, count, wait)) && !wait.isOver;
  } catch (error) {
    if (error !== timeUp) throw error;
  } finally {
    wait.end();
    // Else it would be granted later, to nobody.
    if (!isHeld) background(holder.release(semaphore));
  }
  if (isHeld) return new Lock(semaphore, count, holder, background);
  const waited = performance.now() - wait.began;
  // How many others wait the protocol does not say.
  const rejection = { limit: semaphore, queued: 1, waited, retryAfter: 1 };
  throw new RejectedError({ reason: 'timeout', ...rejection });
}

const timeUp = new Error('the time to wait is over');

/** How long a caller waits: its signal aborts with the caller's, or with `timeUp`. */
class Wait implements Patience {
  readonly began = performance.now();
  readonly until: number;
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly timeout: number,
    signal: AbortSignal | undefined,
  ) {
    this.until = this.began + timeout;
    const controller = new AbortController();
    this.signal = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
    // With 0 there is one attempt, which takes its time.
    if (timeout === 0 || timeout > longestTimer) return;
    this.#timer = setTimeout(() => controller.abort(timeUp), timeout);
  }

  /** What is granted by now is granted too late. */
  get isOver(): boolean {
    return this.timeout > 0 && performance.now() >= this.until;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function checked(semaphore: string, options: LockOptions) {
  checkNames('lock', options, ['count', 'timeout', 'signal']);
  const { count = 1, timeout = Infinity, signal } = options;
  checkText('semaphore', semaphore);
  // A URL has none.
  if (/\p{Surrogate}/u.test(semaphore)) {
    throw invalid('semaphore', 'of whole characters', semaphore);
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw invalid('signal', 'an AbortSignal', signal);
  }
  return {
    count: checkCount('count', count, 1),
    timeout: checkDuration('timeout', timeout),
    signal,
  };
}
