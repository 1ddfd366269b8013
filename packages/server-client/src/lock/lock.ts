import { RejectedError } from '@headgate/core';
import { checkCount, checkDuration, checkNames, checkText, invalid } from '@headgate/core/options';
import { maxTimer } from '@headgate/store-kit';
import { type LockOwner, MAX_TIMEOUT } from './lock-owner.ts';
import type { RetryBounds } from './retry.ts';

export interface LockOptions {
  /** The count to acquire. Default: 1. */
  readonly count?: number | undefined;
  /** Maximum wait in milliseconds. 0 does not wait. Default: Infinity. */
  readonly timeout?: number | undefined;
  /** Aborts the wait; `lock` then rejects with the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** What `LockClient.close` waits for. */
export interface Unfinished {
  /** The callers that wait for a lock. */
  readonly waits: Set<Wait>;
  /** Registers work that continues after the caller was answered. */
  background(work: Promise<void>): void;
}

/** A lock on a semaphore, renewed until it is released. */
export class Lock {
  readonly #lockOwner: LockOwner;
  readonly #unfinished: Unfinished;
  #released: Promise<void> | undefined;

  /** @internal */
  constructor(
    /** Name of the semaphore. */
    readonly semaphore: string,
    /** How many of the semaphore's permits it holds. */
    readonly count: number,
    lockOwner: LockOwner,
    unfinished: Unfinished,
  ) {
    this.#lockOwner = lockOwner;
    this.#unfinished = unfinished;
  }

  /**
   * Aborts when the lock may have been granted to another holder: the service could not be reached for 0.9 of the
   * lease, or says that it does not have the lock. Stop the work that the lock protects.
   */
  get signal(): AbortSignal {
    return this.#lockOwner.signal;
  }

  /**
   * Acquires another lock for the same owner. The service refuses a semaphore unless its level is below the levels of
   * all locks held, which prevents deadlocks. Otherwise like `LockClient.lock`.
   *
   * @throws RejectedError, StoreError or HeadgateError, as `LockClient.lock` does.
   */
  lock(semaphore: string, options?: LockOptions): Promise<Lock> {
    return lockFor(this.#lockOwner, semaphore, options, this.#unfinished);
  }

  /**
   * Releases the lock. Resolves when the service has confirmed it, when the lease has expired, or when ten attempts in
   * a row have failed. Never rejects. A second call has no effect.
   */
  release(): Promise<void> {
    this.#released ??= this.#lockOwner.release(this.semaphore);
    return this.#released;
  }

  /** Releases the lock, at the end of a block with `await using lock = …`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

/** @internal */
export async function lockFor(
  lockOwner: LockOwner,
  semaphore: string,
  options: LockOptions = {},
  unfinished: Unfinished,
): Promise<Lock> {
  const { count, timeout, signal } = checked(semaphore, options);
  signal?.throwIfAborted();
  lockOwner.checkIdle(semaphore);
  const wait = new Wait(timeout, signal);
  unfinished.waits.add(wait);
  let isHeld = false;
  try {
    isHeld = (await lockOwner.acquire(semaphore, count, wait)) && !wait.isOver;
  } catch (error) {
    if (error !== timedOut) throw error;
  } finally {
    unfinished.waits.delete(wait);
    wait.end();
    // Without this, the lock would be granted later, and no caller would release it.
    if (!isHeld) unfinished.background(lockOwner.release(semaphore));
  }
  if (isHeld) return new Lock(semaphore, count, lockOwner, unfinished);
  const waited = performance.now() - wait.began;
  // The protocol does not report how many others are queued.
  const rejection = { limitName: semaphore, queued: 1, waited, retryAfter: 1 };
  throw new RejectedError({ reason: 'timeout', ...rejection });
}

const timedOut = new Error('the lock timed out');

/**
 * The bounds of a caller's wait. Its signal aborts when the caller's signal does or, with `timedOut`, at the timeout.
 */
class Wait implements RetryBounds {
  readonly began = performance.now();
  readonly until: number;
  readonly signal: AbortSignal;
  /** Resolves when the caller no longer waits. */
  readonly ended: Promise<void>;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  #end = () => {};

  constructor(
    private readonly timeout: number,
    signal: AbortSignal | undefined,
  ) {
    this.until = this.began + timeout;
    const own = this.#controller.signal;
    this.signal = signal ? AbortSignal.any([signal, own]) : own;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    if (timeout > maxTimer) return;
    // A timeout of 0 allows one attempt.
    this.#timer = setTimeout(() => this.abort(timedOut), timeout || MAX_TIMEOUT);
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** A grant after this time is too late. */
  get isOver(): boolean {
    return this.timeout > 0 && performance.now() >= this.until;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#end();
  }
}

function checked(semaphore: string, options: LockOptions) {
  checkNames('lock', options, ['count', 'timeout', 'signal']);
  const { count = 1, timeout = Infinity, signal } = options;
  checkText('semaphore', semaphore);
  // A URL cannot contain a lone surrogate.
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
