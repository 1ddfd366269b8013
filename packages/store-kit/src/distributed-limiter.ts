import type { StoreError, StoreStats, Waiter } from '@headgate/core';
import {
  type CloseOptions,
  checkIdle,
  checkKey,
  checkRequest,
  deferGrants,
  keyText,
  type LimiterSettings,
} from '@headgate/core/engine';
import { CircuitBreaker } from './availability/circuit-breaker.ts';
import type { StoreWarnings } from './availability/store-warnings.ts';
import { type LimitState, type OperatedChange, SET_NOW } from './contract.ts';
import { Declarations } from './declarations.ts';
import { Fallback } from './fallback.ts';
import type { Session, SessionMember } from './lease/session.ts';
import { AssignedLease } from './semaphore/assigned-lease.ts';
import { DistributedSemaphore } from './semaphore/distributed-semaphore.ts';
import { DistributedSemaphoreGroup } from './semaphore/distributed-semaphore-group.ts';
import type { SemaphoreContext } from './semaphore/semaphore-context.ts';
import { checkDistributed } from './settings.ts';

/**
 * Enforces a limit over several processes. Each process leases its permits from a store, and receives the store's
 * messages.
 */
export class DistributedLimiter
  extends DistributedSemaphoreGroup<DistributedSemaphore>
  implements SessionMember
{
  readonly fallback: Fallback;
  readonly breaker: CircuitBreaker;
  readonly #context: SemaphoreContext<DistributedSemaphore>;
  readonly #declarations: Declarations;

  /** @throws HeadgateError for options that the store cannot honour. */
  constructor(
    settings: LimiterSettings,
    private readonly session: Session,
    warnings: StoreWarnings,
  ) {
    super(checkDistributed(settings, session.store));
    this.breaker = new CircuitBreaker(this.settings, session.store, warnings, (error) =>
      this.#availabilityChanged(error),
    );
    this.fallback = new Fallback(this, this.breaker);
    this.#declarations = new Declarations(this, session, this.breaker);
    const { breaker, fallback } = this;
    this.#context = { group: this, session, breaker, fallback };
    if (!settings.perKey) this.only = new DistributedSemaphore(this.#context, undefined, undefined);
    session.join(this);
  }

  findOrCreate(key: string | undefined, limit: number | undefined): DistributedSemaphore {
    const { only } = this;
    if (only !== undefined && key === undefined && limit === undefined) return only;
    checkKey(this.settings, key, limit);
    const semaphore = this.find(key);
    if (semaphore === undefined) return new DistributedSemaphore(this.#context, key, limit);
    if (limit !== undefined) semaphore.limitState.declare(limit);
    return semaphore;
  }

  request(waiter: Waiter): void {
    checkIdle(waiter);
    const semaphore = this.findOrCreate(waiter.key, waiter.limit);
    checkRequest(this, semaphore.limitState.limit, waiter.weight, waiter.share);
    waiter.arrival = 0;
    if (this.closed) return semaphore.waiters.rejectUnqueued(waiter, 'closed');
    if (this.operated.change?.status === 'rejecting') {
      // Sent again: the store may process a later request before the change, and would grant it.
      this.#declarations.declareChangeOf(semaphore.limitState);
      return semaphore.waiters.rejectUnqueued(waiter, 'closed');
    }
    if (semaphore.admitsAtOnce(waiter)) return;
    const timeout = this.timeoutOf(waiter);
    const { breaker, fallback } = this;
    const { pauseLeft } = semaphore.limitState;
    if (pauseLeft > 0 && pauseLeft > this.timeLeft(waiter, timeout)) {
      if (this.isUp && semaphore.limitState.asksForPause())
        this.#declarations.read(semaphore.limitState);
      return semaphore.waiters.rejectUnqueued(waiter, 'paused');
    }
    if (breaker.error !== undefined) return fallback.request(semaphore, waiter, timeout);
    if (!waiter.mayJoin()) return semaphore.waiters.rejectUnqueued(waiter, 'full');
    this.#declarations.declareChangeOf(semaphore.limitState);
    semaphore.ask(waiter, timeout);
  }

  resize(limit: number): void {
    const { name, observers } = this.settings;
    this.limit = limit;
    for (const { limitState } of this.inUse()) limitState.commonChanged();
    this.fallback.setLimit(limit);
    observers.resized?.({ name, limit });
  }

  at({ queuedIn: lease }: Waiter): DistributedSemaphore | undefined {
    if (!(lease instanceof AssignedLease)) return undefined;
    const semaphore = this.find(lease.semaphore.ref.key);
    return semaphore === lease.semaphore ? semaphore : undefined;
  }

  override learn(limitState: LimitState): void {
    super.learn(limitState);
    if (this.perKey) this.#declarations.answered();
  }

  get readsCommon(): boolean {
    return this.#declarations.readsCommon;
  }

  readCommon(): void {
    this.#declarations.readCommon();
  }

  /**
   * Changes the limit of all keys in use, here and at the store. A limit that looks the same here is sent as well:
   * another process may have changed it since.
   */
  protected changeLimit(limit: number): void {
    this.version = SET_NOW;
    // If the number differs from the one declared last, both remembered numbers are replaced. So a limit that an
    // operator has set no longer applies.
    if (limit !== this.declaredNumbers[0]) this.declaredNumbers = [this.declared];
    this.resize(limit);
    this.#declarations.declareLimit();
  }

  declarePause(key: string | undefined, milliseconds: number): void {
    const { limitState } = this.findOrCreate(key, undefined);
    this.#declarations.declarePause(limitState, milliseconds);
  }

  /**
   * Changes how the limit is operated: here at once, and at the store for all keys in use. As with the limit, a change
   * that makes no difference here is sent as well.
   */
  protected operate(change: OperatedChange, report: () => void): void {
    this.operated.declare(change);
    this.#declarations.forgetPauses();
    for (const semaphore of this.inUse()) {
      semaphore.limitState.pauseFor(0);
      this.fallback.pauseChanged(semaphore);
    }
    this.operatedChanged(report);
    this.#declarations.declareChange();
  }

  usage(key?: string | number): { limit: number; inflight: number } {
    const { limit = this.limit, inflight = 0 } = this.find(keyText(key))?.limitState ?? {};
    return { limit, inflight };
  }

  /**
   * Also reads the limit if the statistics show that it has changed, which a process without requests would otherwise
   * not notice.
   */
  async storeStats(ofKey?: string | number): Promise<StoreStats> {
    const key = keyText(ofKey);
    const stats = await this.session.store.stats({ name: this.name, key });
    const limitState = this.find(key)?.limitState;
    // A process that has never called the store must not read the limit: reading would declare its own number.
    if (this.closed || limitState === undefined || !/\d/.test(limitState.ref.version)) return stats;
    if (Number(stats.version) > Number(limitState.ref.version)) this.#declarations.read(limitState);
    return stats;
  }

  operatedElsewhere(key: string | undefined): void {
    const semaphore = this.find(key);
    if (semaphore !== undefined) this.#declarations.read(semaphore.limitState);
  }

  operatedChanged(report = () => {}): void {
    const { status, isShadow } = this.operated;
    if (status === this.status && isShadow === this.isShadow) return report();
    this.setStatus(status);
    this.isShadow = isShadow;
    deferGrants(() => {
      this.fallback.operate();
      for (const { idle } of this.inUse()) if (!this.grants || isShadow) idle.clear();
      report();
    });
    for (const semaphore of this.inUse()) {
      this.#rejectWaiters(semaphore);
      this.fallback.rejectWaiters(semaphore);
      semaphore.settle();
    }
    if (this.operated.change === undefined) this.#readQueuedKeys();
  }

  /**
   * Reads the limit of each key that has waiters, so that the store grants them. If no other process uses the key, no
   * other call would.
   */
  #readQueuedKeys(): void {
    if (!this.settings.perKey || !this.grants) return;
    for (const { waiters, limitState } of this.inUse()) {
      if (waiters.length > 0) this.#declarations.read(limitState);
    }
  }

  get isUp(): boolean {
    return this.breaker.error === undefined;
  }

  override leaseLost(weight: number): void {
    this.session.counters.lost++;
    super.leaseLost(weight);
  }

  /** Closes the semaphores and releases idle leases. */
  protected end(): void {
    this.closed = true;
    this.breaker.end();
    this.#declarations.end();
    for (const semaphore of this.inUse()) {
      semaphore.close();
      this.#rejectWaiters(semaphore);
    }
    this.session.leave(this);
  }

  override async close(options?: CloseOptions): Promise<number> {
    const left = await super.close(options);
    if (left === 0) await this.session.releases.confirmed();
    // The caller may end the process or close the store next.
    await this.#declarations.settled();
    return left;
  }

  override stats() {
    const { declared, reclaimed, lost } = this;
    const { inflight, queued } = this.only?.limitState ?? {};
    const { isUp: up, session } = this;
    const { roundTrip } = session;
    const distributed = { up, declared, inflight, queued, reclaimed, lost, roundTrip };
    return { ...super.stats(), distributed };
  }

  recalled(key: string | undefined): void {
    this.find(key)?.recalled();
  }

  connectionChanged(): void {
    void this.breaker.probe();
  }

  subscriptionRenewed(): void {
    for (const { held } of this.inUse()) held.register();
  }

  slowed(reason: string | undefined): void {
    const { name, observers } = this.settings;
    observers.slowed?.({ name, reason });
  }

  messagesMissing(error: StoreError | undefined): void {
    this.breaker.messagesMissing(error);
  }

  #availabilityChanged(error: StoreError | undefined): void {
    if (error === undefined) this.session.releases.sendAgain();
    if (this.closed) return;
    if (error === undefined) {
      // Declares the limit before any waiter returns to the store.
      this.#declarations.declareAgain();
      this.fallback.end();
    } else this.fallback.begin();
  }

  /** Rejects the waiters of a closed or rejecting limit. */
  #rejectWaiters(semaphore: DistributedSemaphore): void {
    for (const { waiter } of semaphore.waiters.leases()) {
      // Checked for each waiter, since a rejected caller may open the limiter again.
      const isRejected = waiter !== undefined && (this.closed || this.rejects);
      if (isRejected) semaphore.reject(waiter, 'closed');
    }
  }
}
