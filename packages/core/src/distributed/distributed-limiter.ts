import { checkCount, checkDuration } from '../checks.ts';
import { invalid } from '../errors.ts';
import { acquireFrom, callLater, notCallable } from '../limiter/acquire.ts';
import type { WaitOptions } from '../limiter/acquire-options.ts';
import type { Limiter, LimiterStats } from '../limiter/limiter.ts';
import type { Permit } from '../semaphore/permit.ts';
import { type CloseOptions, checkClose } from '../semaphore/permit-tracker.ts';
import type { RejectionCause, RejectionReason } from '../semaphore/rejection.ts';
import { checkIdle, checkOrdering, checkRequest } from '../semaphore/request.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { DistributedSemaphore } from './distributed-semaphore.ts';
import { KeyedDistributedSemaphores } from './keyed-distributed-semaphores.ts';
import { Lease } from './lease.ts';
import type { Session } from './session.ts';
import type { DistributedSettings } from './settings.ts';

/** Enforces a limit over several processes, which lease their permits from a store. */
export class DistributedLimiter implements Limiter {
  readonly name: string;
  readonly perKey: boolean;
  readonly adapts = false;
  readonly isDistributed = true;
  readonly shareNames: readonly string[] = [];
  readonly queueLimit: number;
  readonly queueWeight = Infinity;
  readonly queueTimeout: number;
  readonly #semaphores: KeyedDistributedSemaphores;

  constructor(settings: DistributedSettings, session: Session) {
    this.name = settings.name;
    this.perKey = settings.perKey;
    this.queueLimit = settings.queueLimit;
    this.queueTimeout = settings.queueTimeout;
    this.#semaphores = new KeyedDistributedSemaphores(settings, session);
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
    if (semaphores.closed) return semaphore.rejectNewcomer(waiter, 'closed');
    if (semaphore.admitsAtOnce(waiter)) return;
    checkOrdering(waiter);
    const timeout = checkDuration('queueTimeout', waiter.queueTimeout ?? this.queueTimeout);
    if (semaphores.circuitBreaker.error !== undefined)
      return semaphores.fallback.newcomer(semaphore, waiter, timeout);
    if (!waiter.joins()) return semaphore.rejectNewcomer(waiter, 'full');
    // `joins` may have run application code.
    const again = semaphores.of(waiter.key, waiter.limit);
    if (semaphores.closed) return again.rejectNewcomer(waiter, 'closed');
    again.ask(waiter, timeout);
  }

  withdraw(waiter: Waiter): void {
    this.#semaphoreOf(waiter)?.withdraw(waiter);
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.#semaphoreOf(waiter)?.reject(waiter, reason, cause);
  }

  acquire(options?: WaitOptions): Promise<Permit> {
    return acquireFrom(this, options);
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    if (typeof fn !== 'function') return notCallable(fn);
    return callLater(acquireFrom(this, options, 'run'), fn, options?.signal);
  }

  setLimit(limit: number): void {
    const { session } = this.#semaphores;
    if (!session.store.can.setLimit) {
      throw invalid(
        'limit',
        'configured in the store itself, which does not support setLimit',
        limit,
      );
    }
    this.#semaphores.declare(checkCount('limit', limit, 1));
    for (const { limitState } of this.#semaphores.inUse()) {
      session.send({ verb: 'setLimit', ref: limitState.ref }, (answer) => {
        if (!('error' in answer)) limitState.learn(answer);
      });
    }
  }

  async close(options?: CloseOptions): Promise<number> {
    checkClose(options);
    const semaphores = this.#semaphores;
    const { session } = semaphores;
    semaphores.closed = true;
    semaphores.circuitBreaker.end();
    for (const semaphore of semaphores.inUse()) {
      semaphore.heldLeases.returnIdle();
      for (const { waiter } of semaphore.waiters.leases()) {
        if (waiter !== undefined) semaphore.reject(waiter, 'closed');
      }
    }
    session.leave(semaphores);
    const left = await semaphores.permits.drain(options);
    if (left === 0) await session.releases.heard();
    return left;
  }

  stats(): LimiterStats {
    const { permits, counters, settings, keys } = this.#semaphores;
    const { name, limit, inflight, queued } = this;
    const now = settings.clock.now();
    let longestWait = 0;
    for (const { waiters } of this.#semaphores.inUse()) {
      if (waiters.first !== undefined) {
        longestWait = Math.max(longestWait, now - waiters.first.since);
      }
    }
    const { admitted, leaked } = permits;
    const counts = {
      admitted,
      rejected: { ...counters.rejections },
      withdrawn: counters.withdrawals,
    };
    const shared = this.#semaphores.stats();
    return {
      name,
      limit,
      inflight,
      queued,
      longestWait,
      keys,
      ...counts,
      leaked,
      distributed: shared,
    };
  }

  usage(key?: string): { limit: number; inflight: number } {
    const { limit = this.limit, inflight = 0 } = this.#semaphores.find(key)?.limitState ?? {};
    return { limit, inflight };
  }

  /** The semaphore at which the waiter is queued, if it is one of this limiter. */
  #semaphoreOf({ queuedAt: place }: Waiter): DistributedSemaphore | undefined {
    return place instanceof Lease && place.semaphore.parent === this.#semaphores
      ? place.semaphore
      : undefined;
  }
}
