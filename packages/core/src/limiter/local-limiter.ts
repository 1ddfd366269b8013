import { checkCount, checkDuration } from '../checks.ts';
import { invalid } from '../errors.ts';
import { acquireFrom, nothing } from './acquisition.ts';
import { checkAsked } from './asking.ts';
import { callLater, callWith, notCallable } from './call.ts';
import { type CloseOptions, checkClose } from './ledger.ts';
import type { AcquireOptions, LimiterStats, LocalLimiter, WaitOptions } from './limiter.ts';
import type { BasePermit, Permit } from './permit.ts';
import { Pool } from './pool.ts';
import { type LimiterSettings, Pools } from './pools.ts';
import type { RejectionCause, RejectionReason } from './rejection.ts';
import { checkRequest } from './request.ts';
import { checkIdle, checkWishes, grant, isGone, type Waiter } from './waiter.ts';

const none: readonly string[] = [];

/** Enforces a limit within this process. */
export class InProcessLimiter implements LocalLimiter {
  readonly name: string;
  readonly perKey: boolean;
  readonly isShared = false;
  readonly queueLimit: number;
  readonly queueWeight: number;
  readonly queueTimeout: number;
  readonly #pools: Pools;

  constructor(readonly settings: LimiterSettings) {
    this.name = settings.name;
    this.perKey = settings.perKey;
    this.queueLimit = settings.queueLimit;
    this.queueWeight = settings.queueWeight;
    this.queueTimeout = settings.queueTimeout;
    this.#pools = new Pools(settings);
  }

  get limit(): number {
    return this.#pools.limit;
  }

  get closed(): boolean {
    return this.#pools.closed;
  }

  get adapts(): boolean {
    return this.#pools.movement !== undefined;
  }

  get shareNames(): readonly string[] {
    return this.settings.order.shareNames ?? none;
  }

  get inflight(): number {
    return this.#pools.inflight;
  }

  get queued(): number {
    return this.#pools.queued;
  }

  /** How many hold a permit, whatever its weight. */
  get holders(): number {
    return this.#pools.ledger.count;
  }

  tryAcquire(options: AcquireOptions = nothing): BasePermit | undefined {
    const { weight = 1, share } = options;
    const pool = this.#pools.of(options.key, options.limit);
    checkRequest(this, pool.limit, weight, share);
    return this.#pools.closed || !pool.admits(weight) ? undefined : pool.admit(weight, 0, share);
  }

  /** Admits whatever the limit says: shadow mode turns nobody away. */
  admitBeyond({ key, limit, weight = 1, share }: AcquireOptions): BasePermit {
    return this.#pools.of(key, limit).admit(weight, 0, share);
  }

  acquire(options?: WaitOptions): Promise<Permit> {
    return acquireFrom(this, options);
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options: WaitOptions = nothing): Promise<T> {
    if (typeof fn !== 'function') return notCallable(fn);
    try {
      if (options !== nothing) checkAsked('run', options);
      options.signal?.throwIfAborted();
      const permit = this.tryAcquire(options);
      if (permit !== undefined) return callWith(permit, fn);
    } catch (error) {
      return Promise.reject(error);
    }
    return callLater(this.acquire(options), fn, options.signal);
  }

  request(waiter: Waiter): void {
    const pools = this.#pools;
    checkIdle(waiter);
    let pool = pools.of(waiter.key, waiter.limit);
    checkRequest(this, pool.limit, waiter.weight, waiter.share);
    waiter.arrival = 0;
    if (pool.isFullFor(waiter)) pool = this.#withoutLate(pool, waiter);
    if (pools.closed) return pool.rejectNewcomer(waiter, 'closed');
    if (pool.admits(waiter.weight))
      return grant(waiter, pool.admit(waiter.weight, 0, waiter.share));
    checkWishes(waiter);
    const timeout = checkDuration('queueTimeout', waiter.queueTimeout ?? this.queueTimeout);
    const hasRoom = !pool.isFullFor(waiter) || pool.spare(waiter) !== undefined;
    if (!hasRoom || !waiter.joins()) return pool.rejectNewcomer(waiter, 'full');
    // Asking may have run the app's own code: it may have closed the limiter, filled the line, or freed the key and taken it again.
    pool = pools.again(waiter.key, waiter.limit);
    if (pool.isFullFor(waiter)) {
      pool = this.#withRoom(pool, waiter);
      if (isGone(waiter)) return;
    }
    if (pools.closed) return pool.rejectNewcomer(waiter, 'closed');
    if (pool.isFullFor(waiter)) return pool.rejectNewcomer(waiter, 'full');
    pool.join(waiter, timeout);
  }

  withdraw(waiter: Waiter): void {
    this.#poolOf(waiter)?.withdraw(waiter);
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.#poolOf(waiter)?.reject(waiter, reason, cause);
  }

  setLimit(limit: number): void {
    if (this.#pools.movement !== undefined)
      throw invalid('limit', 'one that does not adapt', limit);
    this.#pools.resize(checkCount('limit', limit, 1));
  }

  async close(options?: CloseOptions): Promise<number> {
    checkClose(options);
    const pools = this.#pools;
    pools.closed = true;
    for (const pool of pools.inUse()) {
      for (let { oldest } = pool.line; oldest !== undefined; oldest = pool.line.oldest) {
        pool.reject(oldest, 'closed');
      }
    }
    return pools.ledger.drain(options);
  }

  stats(): LimiterStats {
    const { settings, ledger, tally, keys } = this.#pools;
    const { name, limit, inflight, queued } = this;
    const { admitted, leaked } = ledger;
    const now = settings.clock.now();
    let longestWait = 0;
    for (const { line } of this.#pools.inUse()) {
      if (line.oldest !== undefined) longestWait = Math.max(longestWait, now - line.oldest.since);
    }
    const counts = { admitted, rejected: { ...tally.rejections }, withdrawn: tally.withdrawals };
    return { name, limit, inflight, queued, longestWait, keys, ...counts, leaked };
  }

  /** Who would make room for a newcomer in its line. */
  spare(newcomer: Waiter): Waiter | undefined {
    return this.#pools.find(newcomer.key)?.spare(newcomer);
  }

  usage(key?: string): { limit: number; inflight: number } {
    const pool = this.#pools.find(key);
    return { limit: pool?.limit ?? this.limit, inflight: pool?.inflight ?? 0 };
  }

  /** The waiter's pool, with nobody in its line whose time is up. */
  #withoutLate(pool: Pool, { key, limit }: Waiter): Pool {
    if (this.#pools.closed || pool.line.length === 0) return pool;
    pool.rejectLate();
    return this.#pools.again(key, limit);
  }

  /** The same, with room for the waiter if somebody yields to it. */
  #withRoom(full: Pool, waiter: Waiter): Pool {
    const pool = this.#withoutLate(full, waiter);
    if (pool.isFullFor(waiter) && !this.#pools.closed) pool.makeRoom(waiter);
    return this.#pools.again(waiter.key, waiter.limit);
  }

  /** Where it waits, if it does so here. */
  #poolOf({ place }: Waiter): Pool | undefined {
    return place instanceof Pool && place.home === this.#pools ? place : undefined;
  }
}
