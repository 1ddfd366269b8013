import { checkCount, checkDuration } from '../checks.ts';
import { invalid } from '../errors.ts';
import { KeyedSemaphores } from '../semaphore/keyed-semaphores.ts';
import type { BasePermit, Permit } from '../semaphore/permit.ts';
import { type CloseOptions, checkClose } from '../semaphore/permit-tracker.ts';
import type { RejectionCause, RejectionReason } from '../semaphore/rejection.ts';
import { checkRequest } from '../semaphore/request.ts';
import { Semaphore } from '../semaphore/semaphore.ts';
import { checkIdle, checkOrdering, grant, isGone, type Waiter } from '../semaphore/waiter.ts';
import { checkAcquireOptions } from './acquire-options.ts';
import { acquireFrom, nothing } from './acquisition.ts';
import { callLater, callWith, notCallable } from './call.ts';
import type { AcquireOptions, LimiterStats, LocalLimiter, WaitOptions } from './limiter.ts';
import type { LimiterSettings } from './source.ts';

const noShares: readonly string[] = [];

/** Enforces a limit within this process. */
export class InProcessLimiter implements LocalLimiter {
  readonly name: string;
  readonly perKey: boolean;
  readonly isDistributed = false;
  readonly queueLimit: number;
  readonly queueWeight: number;
  readonly queueTimeout: number;
  readonly #semaphores: KeyedSemaphores;

  constructor(readonly settings: LimiterSettings) {
    this.name = settings.name;
    this.perKey = settings.perKey;
    this.queueLimit = settings.queueLimit;
    this.queueWeight = settings.queueWeight;
    this.queueTimeout = settings.queueTimeout;
    this.#semaphores = new KeyedSemaphores(settings);
  }

  get limit(): number {
    return this.#semaphores.limit;
  }

  get closed(): boolean {
    return this.#semaphores.closed;
  }

  get adapts(): boolean {
    return this.#semaphores.limitUpdater !== undefined;
  }

  get shareNames(): readonly string[] {
    return this.settings.order.shareNames ?? noShares;
  }

  get inflight(): number {
    return this.#semaphores.inflight;
  }

  get queued(): number {
    return this.#semaphores.queued;
  }

  /** Number of permits held now, whatever their weight. */
  get holders(): number {
    return this.#semaphores.permits.count;
  }

  tryAcquire(options: AcquireOptions = nothing): BasePermit | undefined {
    const { weight = 1, share } = options;
    const semaphore = this.#semaphores.of(options.key, options.limit);
    checkRequest(this, semaphore.limit, weight, share);
    return this.#semaphores.closed || !semaphore.admits(weight)
      ? undefined
      : semaphore.admit(weight, 0, share);
  }

  /** Admits even beyond the limit, for shadow mode. */
  admitBeyond({ key, limit, weight = 1, share }: AcquireOptions): BasePermit {
    return this.#semaphores.of(key, limit).admit(weight, 0, share);
  }

  acquire(options?: WaitOptions): Promise<Permit> {
    return acquireFrom(this, options);
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options: WaitOptions = nothing): Promise<T> {
    if (typeof fn !== 'function') return notCallable(fn);
    try {
      if (options !== nothing) checkAcquireOptions('run', options);
      options.signal?.throwIfAborted();
      const permit = this.tryAcquire(options);
      if (permit !== undefined) return callWith(permit, fn);
    } catch (error) {
      return Promise.reject(error);
    }
    return callLater(this.acquire(options), fn, options.signal);
  }

  request(waiter: Waiter): void {
    const semaphores = this.#semaphores;
    checkIdle(waiter);
    let semaphore = semaphores.of(waiter.key, waiter.limit);
    checkRequest(this, semaphore.limit, waiter.weight, waiter.share);
    waiter.arrival = 0;
    if (semaphore.isFullFor(waiter)) semaphore = this.#withoutLate(semaphore, waiter);
    if (semaphores.closed) return semaphore.rejectNewcomer(waiter, 'closed');
    if (semaphore.admits(waiter.weight))
      return grant(waiter, semaphore.admit(waiter.weight, 0, waiter.share));
    checkOrdering(waiter);
    const timeout = checkDuration('queueTimeout', waiter.queueTimeout ?? this.queueTimeout);
    const hasRoom = !semaphore.isFullFor(waiter) || semaphore.spare(waiter) !== undefined;
    if (!hasRoom || !waiter.joins()) return semaphore.rejectNewcomer(waiter, 'full');
    // `joins` may have run application code that closed the limiter, filled the queue, or evicted and reused the key.
    semaphore = semaphores.again(waiter.key, waiter.limit);
    if (semaphore.isFullFor(waiter)) {
      semaphore = this.#withRoom(semaphore, waiter);
      if (isGone(waiter)) return;
    }
    if (semaphores.closed) return semaphore.rejectNewcomer(waiter, 'closed');
    if (semaphore.isFullFor(waiter)) return semaphore.rejectNewcomer(waiter, 'full');
    semaphore.enqueue(waiter, timeout);
  }

  withdraw(waiter: Waiter): void {
    this.#semaphoreOf(waiter)?.withdraw(waiter);
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.#semaphoreOf(waiter)?.reject(waiter, reason, cause);
  }

  setLimit(limit: number): void {
    if (this.#semaphores.limitUpdater !== undefined)
      throw invalid('limit', 'left to its algorithm, as it is adaptive', limit);
    this.#semaphores.resize(checkCount('limit', limit, 1));
  }

  async close(options?: CloseOptions): Promise<number> {
    checkClose(options);
    const semaphores = this.#semaphores;
    semaphores.closed = true;
    for (const semaphore of semaphores.inUse()) {
      for (
        let { oldest } = semaphore.queue;
        oldest !== undefined;
        oldest = semaphore.queue.oldest
      ) {
        semaphore.reject(oldest, 'closed');
      }
    }
    return semaphores.permits.drain(options);
  }

  stats(): LimiterStats {
    const { settings, permits, counters, keys } = this.#semaphores;
    const { name, limit, inflight, queued } = this;
    const { admitted, leaked } = permits;
    const now = settings.clock.now();
    let longestWait = 0;
    for (const { queue } of this.#semaphores.inUse()) {
      if (queue.oldest !== undefined) longestWait = Math.max(longestWait, now - queue.oldest.since);
    }
    const counts = {
      admitted,
      rejected: { ...counters.rejections },
      withdrawn: counters.withdrawals,
    };
    return { name, limit, inflight, queued, longestWait, keys, ...counts, leaked };
  }

  /** The waiter that a new request would displace from the full queue. */
  spare(newcomer: Waiter): Waiter | undefined {
    return this.#semaphores.find(newcomer.key)?.spare(newcomer);
  }

  usage(key?: string): { limit: number; inflight: number } {
    const semaphore = this.#semaphores.find(key);
    return { limit: semaphore?.limit ?? this.limit, inflight: semaphore?.inflight ?? 0 };
  }

  /** The waiter's semaphore, after rejecting the waiters whose deadline has passed. */
  #withoutLate(semaphore: Semaphore, { key, limit }: Waiter): Semaphore {
    if (this.#semaphores.closed || semaphore.queue.length === 0) return semaphore;
    semaphore.rejectLate();
    return this.#semaphores.again(key, limit);
  }

  /** As above, and after rejecting the waiter that the new one displaces, if any. */
  #withRoom(full: Semaphore, waiter: Waiter): Semaphore {
    const semaphore = this.#withoutLate(full, waiter);
    if (semaphore.isFullFor(waiter) && !this.#semaphores.closed) semaphore.makeRoom(waiter);
    return this.#semaphores.again(waiter.key, waiter.limit);
  }

  /** The semaphore at which the waiter is queued, if it is one of this limiter. */
  #semaphoreOf({ queuedAt: place }: Waiter): Semaphore | undefined {
    return place instanceof Semaphore && place.parent === this.#semaphores ? place : undefined;
  }
}
