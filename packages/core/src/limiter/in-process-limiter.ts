import { checkCount } from '../checks.ts';
import { invalid } from '../errors.ts';
import { LocalSemaphores } from '../semaphore/local-semaphores.ts';
import type { BasePermit, Permit } from '../semaphore/permit.ts';
import { type CloseOptions, checkClose } from '../semaphore/permit-tracker.ts';
import type { RejectionCause, RejectionReason } from '../semaphore/rejection.ts';
import { checkRequest } from '../semaphore/request.ts';
import { Semaphore } from '../semaphore/semaphore.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { acquireFrom, callLater, callWith, notCallable, nothing } from './acquire.ts';
import { type AcquireOptions, checkAcquireOptions, type WaitOptions } from './acquire-options.ts';
import type { LimiterSettings } from './distributed-options.ts';
import type { GateableLimiter, LimiterStats } from './limiter.ts';

/** Enforces a limit within this process. */
export class InProcessLimiter implements GateableLimiter {
  readonly name: string;
  readonly perKey: boolean;
  readonly isDistributed = false;
  readonly queueLimit: number;
  readonly queueWeight: number;
  readonly queueTimeout: number;
  readonly #semaphores: LocalSemaphores;

  constructor(settings: LimiterSettings) {
    this.name = settings.name;
    this.perKey = settings.perKey;
    this.queueLimit = settings.queueLimit;
    this.queueWeight = settings.queueWeight;
    this.queueTimeout = settings.queueTimeout;
    this.#semaphores = new LocalSemaphores(settings);
  }

  get limit(): number {
    return this.#semaphores.limit;
  }

  get closed(): boolean {
    return this.#semaphores.closed;
  }

  get isAdaptive(): boolean {
    return this.#semaphores.limitUpdater !== undefined;
  }

  get shareNames(): readonly string[] {
    return this.#semaphores.shareNames;
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
    this.#semaphores.request(waiter);
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
      for (let { oldest } = semaphore; oldest !== undefined; oldest = semaphore.oldest) {
        semaphore.reject(oldest, 'closed');
      }
    }
    return semaphores.permits.drain(options);
  }

  stats(): LimiterStats {
    return this.#semaphores.stats();
  }

  displacedBy(newcomer: Waiter): Waiter | undefined {
    return this.#semaphores.find(newcomer.key)?.spare(newcomer);
  }

  usage(key?: string): { limit: number; inflight: number } {
    const semaphore = this.#semaphores.find(key);
    return { limit: semaphore?.limit ?? this.limit, inflight: semaphore?.inflight ?? 0 };
  }

  /** The semaphore at which the waiter is queued, if it is one of this limiter. */
  #semaphoreOf({ queuedAt: place }: Waiter): Semaphore | undefined {
    return place instanceof Semaphore && place.parent === this.#semaphores ? place : undefined;
  }
}
