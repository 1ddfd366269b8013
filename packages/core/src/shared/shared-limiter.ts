import { checkCount, checkDuration } from '../checks.ts';
import { invalid } from '../errors.ts';
import { acquireFrom } from '../limiter/acquisition.ts';
import { callLater, notCallable } from '../limiter/call.ts';
import { type CloseOptions, checkClose } from '../limiter/ledger.ts';
import type { Limiter, LimiterStats, WaitOptions } from '../limiter/limiter.ts';
import type { Permit } from '../limiter/permit.ts';
import type { RejectionCause, RejectionReason } from '../limiter/rejection.ts';
import { checkRequest } from '../limiter/request.ts';
import { checkIdle, checkWishes, type Waiter } from '../limiter/waiter.ts';
import { Lease } from './lease.ts';
import type { Session } from './session.ts';
import type { SharedSettings } from './settings.ts';
import type { SharedPool } from './shared-pool.ts';
import { SharedPools } from './shared-pools.ts';

/** Enforces a limit over several processes, which lease their permits from a store. */
export class SharedLimiter implements Limiter {
  readonly name: string;
  readonly perKey: boolean;
  readonly adapts = false;
  readonly isShared = true;
  readonly shareNames: readonly string[] = [];
  readonly queueLimit: number;
  readonly queueWeight = Infinity;
  readonly queueTimeout: number;
  readonly #pools: SharedPools;

  constructor(settings: SharedSettings, session: Session) {
    this.name = settings.name;
    this.perKey = settings.perKey;
    this.queueLimit = settings.queueLimit;
    this.queueTimeout = settings.queueTimeout;
    this.#pools = new SharedPools(settings, session);
  }

  get closed(): boolean {
    return this.#pools.closed;
  }

  get limit(): number {
    return this.#pools.limit;
  }

  get inflight(): number {
    return this.#pools.inflight;
  }

  get queued(): number {
    return this.#pools.queued;
  }

  /** Number of permits held by this process, whatever their weight. */
  get holders(): number {
    return this.#pools.ledger.count;
  }

  request(waiter: Waiter): void {
    const pools = this.#pools;
    checkIdle(waiter);
    const pool = pools.of(waiter.key, waiter.limit);
    checkRequest(this, pool.view.limit, waiter.weight, waiter.share);
    waiter.arrival = 0;
    if (pools.closed) return pool.rejectNewcomer(waiter, 'closed');
    if (pool.admitsAtOnce(waiter)) return;
    checkWishes(waiter);
    const timeout = checkDuration('queueTimeout', waiter.queueTimeout ?? this.queueTimeout);
    if (pools.circuit.error !== undefined) return pools.fallback.newcomer(pool, waiter, timeout);
    if (!waiter.joins()) return pool.rejectNewcomer(waiter, 'full');
    // `joins` may have run application code.
    const again = pools.of(waiter.key, waiter.limit);
    if (pools.closed) return again.rejectNewcomer(waiter, 'closed');
    again.ask(waiter, timeout);
  }

  withdraw(waiter: Waiter): void {
    this.#poolOf(waiter)?.withdraw(waiter);
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.#poolOf(waiter)?.reject(waiter, reason, cause);
  }

  acquire(options?: WaitOptions): Promise<Permit> {
    return acquireFrom(this, options);
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    if (typeof fn !== 'function') return notCallable(fn);
    return callLater(acquireFrom(this, options, 'run'), fn, options?.signal);
  }

  setLimit(limit: number): void {
    const { session } = this.#pools;
    if (!session.store.can.setLimit) {
      throw invalid(
        'limit',
        'configured in the store itself, which does not support setLimit',
        limit,
      );
    }
    this.#pools.declare(checkCount('limit', limit, 1));
    for (const { view } of this.#pools.inUse()) {
      session.send({ verb: 'setLimit', ref: view.ref }, (answer) => {
        if (!('error' in answer)) view.learn(answer);
      });
    }
  }

  async close(options?: CloseOptions): Promise<number> {
    checkClose(options);
    const pools = this.#pools;
    const { session } = pools;
    pools.closed = true;
    pools.circuit.end();
    for (const pool of pools.inUse()) {
      pool.holdings.returnIdle();
      for (const { waiter } of pool.waiters.leases()) {
        if (waiter !== undefined) pool.reject(waiter, 'closed');
      }
    }
    session.leave(pools);
    const left = await pools.ledger.drain(options);
    if (left === 0) await session.releases.heard();
    return left;
  }

  stats(): LimiterStats {
    const { ledger, tally, settings, keys } = this.#pools;
    const { name, limit, inflight, queued } = this;
    const now = settings.clock.now();
    let longestWait = 0;
    for (const { waiters } of this.#pools.inUse()) {
      if (waiters.first !== undefined) {
        longestWait = Math.max(longestWait, now - waiters.first.since);
      }
    }
    const { admitted, leaked } = ledger;
    const counts = { admitted, rejected: { ...tally.rejections }, withdrawn: tally.withdrawals };
    const shared = this.#pools.stats();
    return { name, limit, inflight, queued, longestWait, keys, ...counts, leaked, shared };
  }

  usage(key?: string): { limit: number; inflight: number } {
    const { limit = this.limit, inflight = 0 } = this.#pools.find(key)?.view ?? {};
    return { limit, inflight };
  }

  /** The semaphore at which the waiter is queued, if it is one of this limiter. */
  #poolOf({ place }: Waiter): SharedPool | undefined {
    return place instanceof Lease && place.pool.home === this.#pools ? place.pool : undefined;
  }
}
