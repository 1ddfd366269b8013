import { checkCount, checkDuration } from '../checks.ts';
import { invalid } from '../errors.ts';
import { acquireFrom, callLater, notCallable } from '../limiter/acquire.ts';
import type { WaitOptions } from '../limiter/acquire-options.ts';
import type { LimiterSettings } from '../limiter/distributed-options.ts';
import type { Limiter, LimiterStats } from '../limiter/limiter.ts';
import type { Permit } from '../semaphore/permit.ts';
import { type CloseOptions, checkClose } from '../semaphore/permit-tracker.ts';
import type { RejectionCause, RejectionReason } from '../semaphore/rejection.ts';
import { checkIdle, checkOrdering, checkRequest } from '../semaphore/request.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { StoreWarnings } from './availability/store-warnings.ts';
import { KeyedDistributedSemaphores } from './keyed-distributed-semaphores.ts';
import type { Session } from './lease/session.ts';
import { checkDistributed } from './settings.ts';

/** Enforces a limit over several processes, which lease their permits from a store. */
export class DistributedLimiter implements Limiter {
  readonly name: string;
  readonly perKey: boolean;
  readonly isAdaptive = false;
  readonly isDistributed = true;
  readonly shareNames: readonly string[] = [];
  readonly queueLimit: number;
  readonly queueWeight = Infinity;
  readonly queueTimeout: number;
  readonly #session: Session;
  readonly #semaphores: KeyedDistributedSemaphores;

  /** @throws HeadgateError for options that the store cannot honour. */
  constructor(options: LimiterSettings, session: Session, warnings: StoreWarnings) {
    const settings = checkDistributed(options, session.store.can);
    this.name = settings.name;
    this.perKey = settings.perKey;
    this.queueLimit = settings.queueLimit;
    this.queueTimeout = settings.queueTimeout;
    this.#session = session;
    this.#semaphores = new KeyedDistributedSemaphores(settings, session, warnings);
  }

  get closed(): boolean {
    return this.#semaphores.closed;
  }

  get limit(): number {
    return this.#semaphores.limit;
  }

  get inflight(): number {
    return this.#semaphores.inflight;
  }

  get queued(): number {
    return this.#semaphores.queued;
  }

  /** Number of permits held by this process, whatever their weight. */
  get holders(): number {
    return this.#semaphores.permits.count;
  }

  request(waiter: Waiter): void {
    const semaphores = this.#semaphores;
    checkIdle(waiter);
    const semaphore = semaphores.of(waiter.key, waiter.limit);
    checkRequest(this, semaphore.limitState.limit, waiter.weight, waiter.share);
    waiter.arrival = 0;
    if (this.closed) return semaphore.waiters.rejectNewcomer(waiter, 'closed');
    if (semaphore.admitsAtOnce(waiter)) return;
    checkOrdering(waiter);
    const timeout = checkDuration('queueTimeout', waiter.queueTimeout ?? this.queueTimeout);
    const { breaker, fallback } = semaphores;
    if (breaker.error !== undefined) return fallback.newcomer(semaphore, waiter, timeout);
    if (!waiter.joins()) return semaphore.waiters.rejectNewcomer(waiter, 'full');
    // `joins` may have run application code.
    const again = semaphores.of(waiter.key, waiter.limit);
    if (this.closed) again.waiters.rejectNewcomer(waiter, 'closed');
    else again.ask(waiter, timeout);
  }

  withdraw(waiter: Waiter): void {
    this.#semaphores.at(waiter)?.withdraw(waiter);
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.#semaphores.at(waiter)?.reject(waiter, reason, cause);
  }

  acquire(options?: WaitOptions): Promise<Permit> {
    return acquireFrom(this, options);
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    if (typeof fn !== 'function') return notCallable(fn);
    return callLater(acquireFrom(this, options, 'run'), fn, options?.signal);
  }

  setLimit(limit: number): void {
    if (!this.#session.store.can.setLimit) {
      const expected = 'configured in the store itself, which does not support setLimit';
      throw invalid('limit', expected, limit);
    }
    this.#semaphores.declare(checkCount('limit', limit, 1));
  }

  async close(options?: CloseOptions): Promise<number> {
    checkClose(options);
    this.#semaphores.close();
    const left = await this.#semaphores.permits.drain(options);
    if (left === 0) await this.#session.releases.confirmed();
    return left;
  }

  stats(): LimiterStats {
    return this.#semaphores.stats();
  }

  usage(key?: string): { limit: number; inflight: number } {
    const { limit = this.limit, inflight = 0 } = this.#semaphores.find(key)?.limitState ?? {};
    return { limit, inflight };
  }
}
