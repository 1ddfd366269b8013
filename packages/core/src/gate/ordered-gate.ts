import { attempt } from '../errors.ts';
import type { GateableLimiter } from '../limiter/limiter.ts';
import type { GateStats } from '../limiter/stats.ts';
import { Counters } from '../semaphore/counters.ts';
import { isLate } from '../semaphore/deadlines.ts';
import { deferGrants } from '../semaphore/grants.ts';
import type { Observer, Operation } from '../semaphore/observer.ts';
import type { BasePermit, Permit } from '../semaphore/permit.ts';
import { type CloseOptions, checkClose, PermitTracker } from '../semaphore/permit-tracker.ts';
import type { Rejection, RejectionReason } from '../semaphore/rejection.ts';
import { checkIdle } from '../semaphore/request.ts';
import { RetryAfter } from '../semaphore/retry-after.ts';
import { grant, identityOf, type Waiter, waitedSince } from '../semaphore/waiter.ts';
import { type Model, Simulation } from '../shadow/simulation.ts';
import { acquireFromGate, runInGate } from './acquire.ts';
import { checkDemands, type Demands, tryDemand } from './demands.ts';
import type { GateSettings, GateWaitOptions, InternalGate } from './gate.ts';
import type { GateLimit } from './gate-limits.ts';
import { GatePermit, releaseAll } from './gate-permit.ts';
import { GateQueue, GateWaiter, type GateWaiterOwner } from './gate-queue.ts';
import { OperableGuard } from './operable-guard.ts';
import type { Guard } from './options.ts';

/** Operations after which the simulation need not restart. */
const withoutEffect: readonly Operation[] = ['pause', 'rejectAll', 'resume'];

/** A gate whose requests pass its guard, if there is one, and then acquire its limits in order. */
export class OrderedGate implements InternalGate, GateWaiterOwner {
  readonly name: string;
  readonly limiters: InternalGate['limiters'];
  readonly guard: OperableGuard | undefined;
  readonly queue: GateQueue;
  closed = false;
  readonly #permits: PermitTracker;
  readonly #counters: Counters;
  readonly #retryAfter: RetryAfter;
  /** Simulates the limits that are in shadow mode. */
  #simulation: Simulation<Demands> | undefined = undefined;

  constructor(
    readonly limits: readonly GateLimit[],
    readonly settings: GateSettings,
    /** Returns the model to simulate now; undefined if no limit is in shadow mode. */
    private readonly model: () => Model<Demands> | undefined,
    guard?: Guard,
  ) {
    this.name = settings.name;
    this.limiters = Object.fromEntries(limits.map(({ limiter }) => [limiter.name, limiter]));
    this.#permits = new PermitTracker(settings);
    this.#counters = new Counters(settings);
    this.#retryAfter = new RetryAfter(settings.clock);
    this.queue = new GateQueue(settings, this.#counters);
    if (guard !== undefined) this.guard = new OperableGuard(guard, settings, this);
    this.#simulate();
    const operated: Observer['operated'] = ({ operation }) => {
      if (!withoutEffect.includes(operation)) this.#simulate();
    };
    for (const { limiter, owned } of limits) if (owned) limiter.observe({ operated });
  }

  /** Whether the gate rejects every request. In shadow mode it does not, even once it is closed. */
  get rejects(): boolean {
    return this.closed && !this.#isShadow;
  }

  get holders(): number {
    return this.#permits.count;
  }

  get queued(): number {
    return this.queue.length;
  }

  request(waiter: Waiter, demands: Demands, asksGuard = true): void {
    const { guard } = this;
    checkIdle(waiter);
    checkDemands(this.limits, demands);
    if (this.rejects) return this.#reject(waiter, this.#rejection('closed'));
    if (!asksGuard || this.closed || guard === undefined || guard.admits(waiter))
      return this.#request(waiter, demands);
    const rejection = this.#rejection('overloaded', guard.name);
    if (guard.mode === 'enforce') return this.#reject(waiter, rejection);
    this.#counters.rejectedInShadow(rejection, identityOf(waiter));
    // No limit reports it too, since in enforce mode the guard alone would have rejected it.
    waiter.isReported = true;
    try {
      this.#request(waiter, demands);
    } finally {
      waiter.isReported = false;
    }
  }

  #request(waiter: Waiter, demands: Demands): void {
    const parts: BasePermit[] = [];
    try {
      for (const demand of demands) {
        const part = tryDemand(demand, waiter);
        // A request that must wait or be rejected needs a waiter of its own.
        if (part === undefined) {
          this.queue.rejectExpired();
          return new GateWaiter(this, waiter, demands, parts).advance();
        }
        parts.push(part);
      }
    } catch (error) {
      releaseAll(parts, 'ignored');
      throw error;
    }
    if (!this.rejects) return this.#grant(waiter, demands, parts, 0);
    // An observer of a limiter has closed the gate meanwhile.
    releaseAll(parts, 'ignored');
    this.#reject(waiter, this.#rejection('closed'));
  }

  withdraw(waiter: Waiter): void {
    const gateWaiter = this.queue.find(waiter);
    if (gateWaiter === undefined) return;
    // The waiter must leave the gate's queue, and release its permits, before other waiters are granted.
    deferGrants(() => {
      gateWaiter.limiter?.withdraw(gateWaiter);
      // It may be between two limits, in the queue of neither.
      gateWaiter.withdrawn();
    });
  }

  acquire(options?: GateWaitOptions): Promise<Permit> {
    return acquireFromGate(this, options);
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: GateWaitOptions): Promise<T> {
    return runInGate(this, fn, options);
  }

  observe(observer: Observer): () => void {
    return this.settings.observers.add(observer);
  }

  async close(options?: CloseOptions): Promise<number> {
    checkClose(options);
    this.closed = true;
    for (const waiting of this.queue.waiters) waiting.rejectAtLimit('closed');
    const owned = this.limits.filter((limit) => limit.owned);
    const closeOwned = (how?: CloseOptions) =>
      Promise.all(owned.map(({ limiter }) => limiter.close(how)));
    const closing = closeOwned();
    const left = await this.#permits.drain(options);
    // If permits are still held, `closing` would wait for them. Then waits only until the stores have received an
    // operator's changes.
    await (left === 0 ? closing : closeOwned({ signal: AbortSignal.abort() }));
    return left;
  }

  stats(): GateStats {
    const { name, queued, queue, guard } = this;
    // Read first: reading reports rejections, which must be in the statistics below.
    const { shadow, suggestions } = this.#simulation?.stats() ?? {};
    const common = this.#counters.stats(this.#permits, queue.waiters);
    const limits = this.limits.map(({ limiter }) => {
      const suggestion = suggestions?.get(limiter.name);
      return suggestion ? { ...limiter.stats(), suggestion } : limiter.stats();
    });
    const { suggestion, distributed } = (limits.length === 1 && limits[0]) || {};
    const own = { name, queued, ...common, guard: guard?.stats() };
    return { ...own, shadow, suggestion, distributed, limits };
  }

  admit(gateWaiter: GateWaiter, parts: readonly BasePermit[]): void {
    // The deadline may have passed between two limits. A limit in shadow mode ignores that.
    const isExcused = gateWaiter.excess?.reason === 'timeout';
    const isQueued = gateWaiter.arrivalNumber !== 0 && !isExcused;
    if (isQueued && isLate(gateWaiter, this.settings.clock.now())) {
      return this.reject(gateWaiter, this.#rejection('timeout', gateWaiter.limiter?.name));
    }
    const waited = this.#waited(gateWaiter);
    this.queue.remove(gateWaiter);
    for (const part of parts) part.startWork();
    const { excess, isReported, waiter } = gateWaiter;
    if (excess && !isReported) this.#counters.rejectedInShadow(excess, identityOf(waiter));
    this.#grant(waiter, gateWaiter.demands, parts, waited, isReported);
  }

  reject(gateWaiter: GateWaiter, rejection = this.#rejection('closed')): void {
    const waited = this.#waited(gateWaiter);
    const reason = this.rejects ? 'closed' : rejection.reason;
    // Rejects the waiter before other waiters are granted the permits that it releases.
    deferGrants(() => {
      this.drop(gateWaiter);
      this.#reject(gateWaiter.waiter, { ...rejection, reason, waited });
    });
  }

  forget(gateWaiter: GateWaiter): void {
    const { waiter, since } = gateWaiter;
    this.drop(gateWaiter);
    this.#counters.withdrawn(waiter, since);
    attempt(() => waiter.withdrawn());
  }

  drop(gateWaiter: GateWaiter): void {
    this.queue.remove(gateWaiter);
    gateWaiter.releaseParts();
  }

  get #isShadow(): boolean {
    const { limits, settings } = this;
    if (limits.length === 0) return settings.mode === 'shadow';
    return limits.every(({ limiter }) => limiter.mode === 'shadow');
  }

  #waited({ arrivalNumber, since }: GateWaiter): number {
    return arrivalNumber === 0 ? 0 : waitedSince(since, this.settings.clock.now());
  }

  #grant(
    waiter: Waiter,
    demands: Demands,
    parts: readonly BasePermit[],
    waited: number,
    isReported = waiter.isReported,
  ): void {
    const permit = new GatePermit(this.#permits, parts, waited);
    this.#permits.add(permit, waiter);
    if (!isReported) this.#simulation?.admitted(permit, demands, waiter);
    grant(waiter, permit);
  }

  /** Restarts the simulation, so that all its counts belong to the same limits. */
  #simulate(): void {
    const model = this.model();
    const { clock } = this.settings;
    this.#simulation = model && new Simulation(clock, (...found) => this.#report(...found), model);
  }

  /** Counts the rejection at its limit as well. The limit's observers do not receive events of requests. */
  #report(rejection: Rejection, request: object): void {
    const limit = this.limits.find(({ limiter }) => limiter.name === rejection.limitName);
    (limit?.limiter as GateableLimiter | undefined)?.rejectedInShadow(rejection, request);
    this.#counters.rejectedInShadow(rejection, request);
  }

  #reject(waiter: Waiter, rejection: Rejection): void {
    this.#counters.rejected(waiter, rejection);
    waiter.rejected(rejection);
  }

  /** A rejection by the gate itself, not by one of its limits. */
  #rejection(reason: RejectionReason, limitName = this.name): Rejection {
    const retryAfter = this.#retryAfter.seconds(this.settings.clock.now(), this.#permits.admitted);
    return { reason, limitName, queued: this.queued, waited: 0, retryAfter };
  }
}
