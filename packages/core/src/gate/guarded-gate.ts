import type { GateStats } from '../limiter/stats.ts';
import { Counters } from '../semaphore/counters.ts';
import type { Observer } from '../semaphore/observer.ts';
import type { Permit } from '../semaphore/permit.ts';
import { type CloseOptions, checkClose } from '../semaphore/permit-tracker.ts';
import type { Rejection, RejectionReason } from '../semaphore/rejection.ts';
import { checkIdle, checkOrdering } from '../semaphore/request.ts';
import { RetryAfter } from '../semaphore/retry-after.ts';
import { identityOf, type Waiter } from '../semaphore/waiter.ts';
import { acquireFromGate, runInGate } from './acquire.ts';
import type { Demands } from './demands.ts';
import type { GateSettings, GateWaitOptions, InternalGate } from './gate.ts';
import type { GateLimit } from './gate-limits.ts';
import { OperableGuard } from './operable-guard.ts';
import type { Guard } from './options.ts';

/** A gate behind a guard. A request that the guard rejects never reaches the limits. */
export class GuardedGate implements InternalGate {
  readonly name: string;
  readonly limits: readonly GateLimit[];
  readonly limiters: InternalGate['limiters'];
  readonly guard: OperableGuard;
  readonly #counters: Counters;
  readonly #retryAfter: RetryAfter;

  constructor(
    guard: Guard,
    /** The gate behind the guard. */
    readonly inner: InternalGate,
    private readonly settings: GateSettings,
  ) {
    this.name = inner.name;
    this.limits = inner.limits;
    this.limiters = inner.limiters;
    this.guard = new OperableGuard(guard, settings, inner);
    this.#counters = new Counters(settings);
    this.#retryAfter = new RetryAfter(settings.clock);
  }

  get closed(): boolean {
    return this.inner.closed;
  }

  get holders(): number {
    return this.inner.holders;
  }

  get queued(): number {
    return this.inner.queued;
  }

  request(waiter: Waiter, demands: Demands): void {
    checkIdle(waiter);
    checkOrdering(waiter);
    // A closed gate rejects as `closed`, not as `overloaded`.
    if (this.inner.closed || this.guard.admits(waiter.priority))
      return this.inner.request(waiter, demands);
    const rejection = this.#rejection();
    if (this.guard.mode === 'shadow') return this.#admitInShadow(waiter, demands, rejection);
    this.#counters.rejected(waiter, rejection);
    waiter.rejected(rejection);
  }

  /**
   * Marks the request as reported, so that no limit reports it too: in enforce mode, the guard alone would have
   * rejected it.
   */
  #admitInShadow(waiter: Waiter, demands: Demands, rejection: Rejection): void {
    this.#counters.rejectedInShadow(rejection, identityOf(waiter));
    waiter.isReported = true;
    try {
      this.inner.request(waiter, demands);
    } finally {
      waiter.isReported = false;
    }
  }

  withdraw(waiter: Waiter): void {
    this.inner.withdraw(waiter);
  }

  acquire(options?: GateWaitOptions): Promise<Permit> {
    return acquireFromGate(this, options);
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: GateWaitOptions): Promise<T> {
    return runInGate(this, fn, options);
  }

  observe(observer: Observer): () => void {
    return this.inner.observe(observer);
  }

  async close(options?: CloseOptions): Promise<number> {
    checkClose(options);
    return this.inner.close(options);
  }

  stats(): GateStats {
    const stats = this.inner.stats();
    const { rejections, wouldBeRejections } = this.#counters;
    const rejected = withOverloaded(stats.rejected, rejections);
    const wouldReject = withOverloaded(stats.wouldReject, wouldBeRejections);
    return { ...stats, rejected, wouldReject, guard: this.guard.stats() };
  }

  #rejection(): Rejection {
    const retryAfter = this.#retryAfter.seconds(this.settings.clock.now());
    const { name: limitName } = this.guard;
    return { reason: 'overloaded', limitName, queued: this.queued, waited: 0, retryAfter };
  }
}

type Rejections = Readonly<Record<RejectionReason, number>>;

/** Adds the guard's rejections to those of the limits. */
function withOverloaded(byLimits: Rejections, byGuard: Rejections): Rejections {
  return { ...byLimits, overloaded: byLimits.overloaded + byGuard.overloaded };
}
