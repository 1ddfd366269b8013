import { type Rejection, type StoreError, Waiter } from '@headgate/core';
import {
  announce,
  type BasePermit,
  InProcessLimiter,
  isGone,
  Observers,
} from '@headgate/core/engine';
import type { CircuitBreaker } from './availability/circuit-breaker.ts';
import type { AssignedLease } from './semaphore/assigned-lease.ts';
import type { DistributedPermit } from './semaphore/distributed-permit.ts';
import type { DistributedSemaphore } from './semaphore/distributed-semaphore.ts';
import type { DistributedSemaphoreGroup } from './semaphore/distributed-semaphore-group.ts';
import { reportExcess, reportInShadow } from './semaphore/excess.ts';
import { NO_LIMIT } from './semaphore/limit-state.ts';
import type { OutageHandler } from './semaphore/semaphore-context.ts';

/** Applies `onStoreError` while the store is unavailable. */
export class Fallback implements OutageHandler<DistributedSemaphore> {
  /**
   * Counts the permits held here, with the policy `admit` as well: when shadow mode ends, `local` may apply to them.
   */
  #limiter: InProcessLimiter | undefined;

  constructor(
    private readonly group: DistributedSemaphoreGroup<DistributedSemaphore>,
    private readonly breaker: CircuitBreaker,
  ) {}

  /** Admits, queues or rejects a new request while the store is unavailable. */
  request(semaphore: DistributedSemaphore, waiter: Waiter, timeout: number): void {
    const { group } = this;
    const { error } = this.breaker;
    this.breaker.warnCaller(error);
    if (group.rejects) return semaphore.waiters.rejectUnqueued(waiter, 'closed');
    if (this.#policy === 'reject') {
      const cause = { limitName: group.name, error };
      return semaphore.waiters.rejectUnqueued(waiter, 'store', cause);
    }
    const limiter = this.#localLimiter();
    const options = this.#localOptions(waiter, semaphore);
    this.#pause(semaphore);
    if (group.isShadow && group.grants) this.#reportExcess(semaphore, waiter, error);
    const permit = limiter.tryAcquire(options);
    // Looked up again, since the observer may have made requests with the key.
    const current = group.findOrCreate(waiter.key, waiter.limit);
    if (permit !== undefined) return current.admit(waiter, undefined, permit);
    if (timeout === 0 || current.waiters.isFull || !waiter.mayJoin()) {
      return current.waiters.rejectUnqueued(waiter, 'full');
    }
    const lease = current.addWaiter(waiter, timeout);
    announce(waiter);
    if (lease.waiter === waiter) this.#wait(current, lease, waiter, error);
  }

  /** Whether the store is available. Its waiters are then handled here because it has refused their calls. */
  get isRefusal(): boolean {
    return this.breaker.error === undefined;
  }

  takeOver(semaphore: DistributedSemaphore, lease: AssignedLease, error?: StoreError): void {
    const { waiter } = lease;
    const { group } = this;
    if (waiter === undefined || lease.localWaiter !== undefined) return;
    this.breaker.warnCaller(error);
    if (group.rejects) semaphore.reject(waiter, 'closed');
    else if (this.#policy === 'reject') {
      semaphore.reject(waiter, 'store', { limitName: group.name, error });
    } else if (this.#policy === 'local' || !group.grants || semaphore.pauseLeft > 0)
      this.#wait(semaphore, lease, waiter, error);
    else {
      // Waiters queued before shadow mode began are not reported.
      if (group.isShadow && lease.state === 'requested')
        this.#reportExcess(semaphore, waiter, error);
      this.admit(semaphore, lease);
    }
  }

  admit(semaphore: DistributedSemaphore, lease: AssignedLease): void {
    const { waiter } = lease;
    // An observer may have withdrawn the waiter.
    if (waiter === undefined) return;
    const permit = this.#localLimiter().admitBeyond(this.#localOptions(waiter, semaphore));
    admitInstead(semaphore, lease, permit);
  }

  /**
   * Rejects the waiters of a paused limit when its shadow mode ends, unless the policy lets them wait without the
   * store.
   */
  rejectWaiters(semaphore: DistributedSemaphore): void {
    const limitName = this.group.name;
    for (const { waiter, localWaiter } of semaphore.waiters.leases()) {
      // Checked for each waiter, since a rejected caller may start shadow mode again.
      if (waiter === undefined || localWaiter === undefined || this.#policy !== 'reject') continue;
      semaphore.reject(waiter, 'store', { limitName, error: localWaiter.error });
    }
  }

  setLimit(limit: number): void {
    if (!this.#isUnlimited) this.#limiter?.setLimit(limit);
  }

  /** Applies the limit's current state to the limiter of this process. */
  operate(): void {
    const limiter = this.#limiter;
    if (limiter === undefined) return;
    const { grants } = this.group;
    // Pauses even if the limit rejects all requests: the semaphores then reject the waiters themselves.
    if (!grants) limiter.pause();
    if (this.group.isShadow) limiter.shadow();
    else limiter.enforce();
    if (grants) limiter.resume();
  }

  pauseChanged({ pauseLeft, key }: DistributedSemaphore): void {
    this.#limiter?.pauseFor(pauseLeft, key);
  }

  count(permit: DistributedPermit): void {
    permit.local ??= this.#limiter?.admitBeyond(permit);
  }

  withdraw(waiter: Waiter): void {
    this.#limiter?.withdraw(waiter);
  }

  /** Called when the store becomes unavailable: counts the held permits here, and takes over the waiters in order. */
  begin(): void {
    for (const semaphore of this.group.inUse()) {
      semaphore.idle.clear();
      if (this.#policy !== 'reject') this.#localLimiter();
      for (const lease of semaphore.waiters.leases())
        this.takeOver(semaphore, lease, this.breaker.error);
    }
  }

  /**
   * Called when the store is available again: registers the permits that were granted without it, and queues the
   * waiters at the store again.
   */
  end(): void {
    this.#limiter = undefined;
    for (const { held } of this.group.inUse()) held.leaveLocal();
    for (const semaphore of this.group.inUse()) semaphore.resume();
  }

  /** With the policy `admit`, the limiter of this process has no limit, and only pauses hold its waiters. */
  get #isUnlimited(): boolean {
    return this.group.settings.onStoreError === 'admit';
  }

  /** The policy in force. In shadow mode it is always `admit`. */
  get #policy() {
    return this.group.isShadow ? 'admit' : this.group.settings.onStoreError;
  }

  /** Reports the rejection of a request that shadow mode admits while the store is unavailable. */
  #reportExcess(semaphore: DistributedSemaphore, waiter: Waiter, error?: StoreError): void {
    const { group } = this;
    const { limitState } = semaphore;
    const { onStoreError } = group.settings;
    if (onStoreError === 'reject') {
      reportInShadow(group, waiter, { ...limitState.rejection(waiter, 'store'), error });
    } else if (onStoreError === 'local') {
      const { inflight } = this.#localLimiter().usage(waiter.key);
      const { weight } = this.#localOptions(waiter, semaphore);
      reportExcess(group, waiter, inflight + weight - limitState.limit);
    }
  }

  /**
   * The options of the request to the local limiter. They must not be refused there: the limit may have been lowered
   * after the waiter arrived, and the local limiter does not know the limits of keys.
   */
  #localOptions(waiter: Waiter, { limitState }: DistributedSemaphore) {
    const { key, weight } = waiter;
    if (this.#isUnlimited) return { key, weight, limit: undefined };
    const limit = waiter.limit ?? (key === undefined ? undefined : limitState.limit);
    return { key, weight: Math.min(weight, limit ?? this.#localLimiter().limit), limit };
  }

  #wait(
    semaphore: DistributedSemaphore,
    lease: AssignedLease,
    waiter: Waiter,
    error?: StoreError,
  ): void {
    const localWaiter = new LocalWaiter(this, semaphore, lease, error);
    Object.assign(localWaiter, this.#localOptions(waiter, semaphore));
    lease.localWaiter = localWaiter;
    this.#pause(semaphore);
    this.#localLimiter().request(localWaiter);
  }

  /** Pauses the limiter of this process as long as the limit, or the key, is paused. */
  #pause({ pauseLeft, key }: DistributedSemaphore): void {
    if (pauseLeft > 0) this.#localLimiter().pauseFor(pauseLeft, key);
  }

  /** The limiter of this process, which counts the permits held already. */
  #localLimiter(): InProcessLimiter {
    if (this.#limiter !== undefined) return this.#limiter;
    this.#limiter = new InProcessLimiter({
      ...this.group.settings,
      limit: this.#isUnlimited ? NO_LIMIT : this.group.limit,
      queueLimit: Infinity,
      queueTimeout: Infinity,
      maxHold: Infinity,
      observers: new Observers(),
      isPart: true,
    });
    for (const { held } of this.group.inUse()) {
      for (const permit of held.permits) this.count(permit);
    }
    this.operate();
    return this.#limiter;
  }
}

/** Waits at the local limiter on behalf of a waiter whose lease the store cannot grant. */
class LocalWaiter extends Waiter {
  constructor(
    private readonly fallback: Fallback,
    private readonly semaphore: DistributedSemaphore,
    private readonly lease: AssignedLease,
    /** Why the store has not granted the lease. */
    readonly error: StoreError | undefined,
  ) {
    super();
  }

  granted(permit: BasePermit): void {
    admitInstead(this.semaphore, this.lease, permit);
  }

  rejected({ reason }: Rejection): void {
    const { waiter } = this.lease;
    if (waiter !== undefined) this.semaphore.reject(waiter, reason);
  }

  override mayJoin(): boolean {
    const { fallback, lease, semaphore } = this;
    // A waiter without a timeout bucket may not wait.
    if (lease.waiter?.timeoutBucket === undefined) return false;
    // Checks the queue limit only after a refusal, since an available store may refuse any number of calls. In an
    // outage, few calls are unanswered.
    return lease.isCounted || !fallback.isRefusal || !semaphore.waiters.isFull;
  }

  override queued(): void {
    const { lease, semaphore } = this;
    const isCounted = semaphore.waiters.countAsQueued(lease);
    if (!isCounted && lease.waiter !== undefined) semaphore.reject(lease.waiter, 'full');
  }

  override gone(): boolean {
    const { waiter } = this.lease;
    return waiter === undefined || isGone(waiter);
  }

  /** Leaves the local limiter's queue. */
  leave(): void {
    this.fallback.withdraw(this);
  }
}

/** Admits the lease's waiter without the store. */
function admitInstead(semaphore: DistributedSemaphore, lease: AssignedLease, local: BasePermit) {
  const waiter = semaphore.waiters.leave(lease);
  if (waiter !== undefined) semaphore.admit(waiter, undefined, local);
}
