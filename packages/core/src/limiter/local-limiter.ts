import type { Clock } from '../clock.ts';
import { throwLater } from '../errors.ts';
import { checkCount, checkDuration } from '../options.ts';
import { Acquisition, callLater, callWith } from './acquire.ts';
import { Deadlines } from './deadlines.ts';
import { grantFrom, together } from './grants.ts';
import { type CloseOptions, Held } from './held.ts';
import type { AcquireOptions, Limiter, LimiterStats, WaitOptions } from './limiter.ts';
import { nextArrival } from './line.ts';
import { LocalPermit } from './local-permit.ts';
import { type Observer, tell } from './observer.ts';
import type { Permit } from './permit.ts';
import { checkWeight, type Pool, type PoolOwner } from './pool.ts';
import { Pools } from './pools.ts';
import type { RejectionReason } from './rejection.ts';
import { RetryAfter } from './retry-after.ts';
import { Tally } from './tally.ts';
import { alreadyWaiting, grant, isGone, isLate, type Waiter } from './waiter.ts';

const none = {};

/** What `createLimiter` has checked and completed. */
export interface LocalLimits {
  name: string;
  perKey: boolean;
  limit: number;
  queueLimit: number;
  queueTimeout: number;
  maxHold: number;
  maxRetryAfter: number;
  observer: Observer | undefined;
  clock: Clock;
  random: () => number;
}

/** Enforces a limit within this process. */
export class LocalLimiter implements Limiter, PoolOwner {
  readonly name: string;
  readonly perKey: boolean;
  readonly queueLimit: number;
  readonly queueTimeout: number;
  inflight = 0;
  queued = 0;
  /** @internal */
  readonly held: Held;
  readonly #pools: Pools;
  readonly #deadlines: Deadlines<Waiter>;
  readonly #tally: Tally;
  #limit: number;
  #closed = false;

  constructor(private readonly limits: LocalLimits) {
    this.name = limits.name;
    this.perKey = limits.perKey;
    this.queueLimit = limits.queueLimit;
    this.queueTimeout = limits.queueTimeout;
    this.#limit = limits.limit;
    this.#tally = new Tally(limits.name, limits.clock, limits.observer);
    this.#pools = new Pools(this, limits.perKey);
    this.held = new Held(limits.name, limits.clock, limits.maxHold, limits.observer);
    this.#deadlines = new Deadlines(limits.clock, (waiter) => this.turnAway(waiter, 'timeout'));
  }

  get limit(): number {
    return this.#limit;
  }

  /** Admits at once or not at all; nothing while anybody waits. */
  tryAcquire(options: AcquireOptions = none): Permit | undefined {
    const { weight = 1 } = options;
    const pool = this.#pools.of(options.key, options.limit);
    checkWeight(weight, pool.limit);
    return this.#closed || !pool.admits(weight) ? undefined : this.#admit(pool, weight, 0);
  }

  acquire(options: WaitOptions = none): Promise<Permit> {
    return new Promise((resolve, reject) => {
      options.signal?.throwIfAborted();
      const waiter = new Acquisition(this, resolve, reject, options.signal);
      waiter.key = options.key;
      waiter.weight = options.weight ?? 1;
      waiter.limit = options.limit;
      waiter.queueTimeout = options.queueTimeout;
      this.request(waiter);
    });
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options: WaitOptions = none): Promise<T> {
    const { signal } = options;
    try {
      signal?.throwIfAborted();
      const permit = this.tryAcquire(options);
      if (permit !== undefined) return callWith(permit, fn);
    } catch (error) {
      return Promise.reject(error);
    }
    return callLater(this.acquire(options), fn, signal);
  }

  request(waiter: Waiter): void {
    if (waiter.pool !== undefined) throw alreadyWaiting();
    let pool = this.#pools.of(waiter.key, waiter.limit);
    checkWeight(waiter.weight, pool.limit);
    waiter.arrival = 0;
    if (!this.#closed && pool.line.length > 0 && pool.line.length >= this.queueLimit) {
      this.#dismissLate(pool);
      pool = this.#pools.again(waiter.key, waiter.limit);
    }
    if (this.#closed) return this.#refuse(waiter, pool, 'closed');
    if (pool.admits(waiter.weight)) return grant(waiter, this.#admit(pool, waiter.weight, 0));
    const timeout = checkDuration('queueTimeout', waiter.queueTimeout ?? this.queueTimeout);
    if (pool.line.length >= this.queueLimit || !waiter.joins()) {
      return this.#refuse(waiter, pool, 'full');
    }
    // Asking may have run the app's own code: it may have closed the limiter, or freed the key and taken it again.
    if (this.#closed) return this.#refuse(waiter, pool, 'closed');
    this.#join(waiter, this.#pools.again(waiter.key, waiter.limit), timeout);
  }

  withdraw(waiter: Waiter): void {
    const { pool } = waiter;
    if (pool?.owner !== this) return;
    const wasFirst = this.#leave(waiter, pool);
    this.#tally.withdrawn(waiter);
    this.#left(pool, wasFirst);
  }

  turnAway(waiter: Waiter, reason: RejectionReason): void {
    const { pool } = waiter;
    if (pool?.owner !== this) return;
    const wasFirst = this.#leave(waiter, pool);
    try {
      this.#refuse(waiter, pool, reason);
    } catch (error) {
      throwLater(error);
    }
    this.#left(pool, wasFirst);
  }

  setLimit(limit: number): void {
    this.#limit = checkCount('limit', limit, 1);
    together(() => {
      for (const pool of this.#pools.inUse()) pool.resize(limit);
    });
    const { name, observer } = this.limits;
    if (observer !== undefined) tell(observer, 'resized', { name, limit });
  }

  close(options?: CloseOptions): Promise<number> {
    this.#closed = true;
    for (const pool of this.#pools.inUse()) {
      for (let next = pool.line.head; next !== undefined; next = pool.line.head) {
        this.turnAway(next, 'closed');
      }
    }
    return this.held.drain(options);
  }

  stats(): LimiterStats {
    const now = this.limits.clock.now();
    let longestWait = 0;
    for (const { line } of this.#pools.inUse()) {
      if (line.head !== undefined) longestWait = Math.max(longestWait, now - line.head.since);
    }
    const { name, limit, inflight, queued, held } = this;
    const { total: admitted, leaked } = held;
    const rejected = { ...this.#tally.rejections };
    const counts = { admitted, rejected, withdrawn: this.#tally.withdrawals, leaked };
    return { name, limit, inflight, queued, longestWait, keys: this.#pools.keys, ...counts };
  }

  usage(key?: string): { limit: number; inflight: number } {
    const pool = this.#pools.find(key);
    return { limit: pool?.limit ?? this.#limit, inflight: pool?.inflight ?? 0 };
  }

  /** @internal Admits whatever the limit says: shadow mode turns nobody away. */
  admitBeyond(options: AcquireOptions): Permit {
    return this.#admit(this.#pools.of(options.key, options.limit), options.weight ?? 1, 0);
  }

  /** @internal Grants from the head of the line as far as there is room. */
  serve(pool: Pool): void {
    for (let next = pool.line.head; next !== undefined; next = pool.line.head) {
      const fits = pool.fits(next.weight);
      if (this.#closed || (!fits && next.deadline === 0)) return;
      const now = this.limits.clock.now();
      if (isLate(next, now)) this.turnAway(next, 'timeout');
      else if (!fits) return;
      else if (isGone(next)) this.withdraw(next);
      else this.#grantNext(next, pool, now);
    }
  }

  /** @internal */
  takeBack(pool: Pool, weight: number): void {
    pool.inflight -= weight;
    pool.returned += weight;
    this.inflight -= weight;
    this.#left(pool, true);
  }

  #grantNext(waiter: Waiter, pool: Pool, now: number): void {
    this.#leave(waiter, pool);
    const weight = Math.min(waiter.weight, pool.limit);
    const waited = Math.max(0, Math.round(now - waiter.since));
    try {
      grant(waiter, this.#admit(pool, weight, waited));
    } catch (error) {
      throwLater(error);
    }
  }

  #admit(pool: Pool, weight: number, waited: number): LocalPermit {
    if (pool.idle) this.#pools.keep(pool);
    pool.inflight += weight;
    this.inflight += weight;
    const permit = new LocalPermit(pool, weight, waited);
    this.held.add(permit);
    return permit;
  }

  #refuse(waiter: Waiter, pool: Pool, reason: RejectionReason): void {
    const { clock, maxRetryAfter, random } = this.limits;
    const now = clock.now();
    pool.retryAfter ??= new RetryAfter(maxRetryAfter, random);
    const weightAhead = pool.line.weight + waiter.weight;
    const rejection = {
      reason,
      limit: this.name,
      queued: pool.line.length,
      waited: waiter.arrival === 0 ? 0 : Math.max(0, Math.round(now - waiter.since)),
      retryAfter: pool.retryAfter.seconds(now, weightAhead, pool.returned),
    };
    this.#tally.rejected(rejection);
    waiter.rejected(rejection);
  }

  #join(waiter: Waiter, pool: Pool, timeout: number): void {
    // A gate's request brings its own place in the order and its own deadline.
    if (waiter.arrival === 0) {
      const now = this.limits.clock.now();
      waiter.arrival = nextArrival();
      waiter.since = Math.floor(now);
      waiter.deadline = 0;
      if (timeout !== Number.POSITIVE_INFINITY) {
        this.#deadlines.add(waiter, now, timeout);
      }
    }
    if (pool.idle) this.#pools.keep(pool);
    waiter.pool = pool;
    pool.line.insert(waiter);
    this.queued++;
    this.#tally.queued(waiter.weight, this.queued);
    // Those ahead may have left while it was being asked whether it joins.
    if (pool.line.head === waiter) grantFrom(pool);
  }

  /** Late timers must not keep places in the line occupied. */
  #dismissLate({ line }: Pool): void {
    this.#deadlines.sweep();
    // A gate's requests are on the gate's timer.
    const now = this.limits.clock.now();
    for (let next = line.head; next !== undefined && isLate(next, now); next = line.head) {
      this.turnAway(next, 'timeout');
    }
  }

  /** Returns whether it was first in the line. */
  #leave(waiter: Waiter, pool: Pool): boolean {
    const wasFirst = pool.line.head === waiter;
    pool.line.remove(waiter);
    waiter.pool = undefined;
    this.queued--;
    this.#deadlines.remove(waiter);
    return wasFirst;
  }

  /** Something has left the pool: there may be room for the next, or nobody may need it any more. */
  #left(pool: Pool, room: boolean): void {
    if (pool.line.head !== undefined) {
      if (room) grantFrom(pool);
    } else if (pool.inflight === 0) this.#pools.drop(pool);
  }
}
