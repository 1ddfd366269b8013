import type { AcquireOptions } from '../limiter/acquire-options.ts';
import { InProcessLimiter } from '../limiter/in-process-limiter.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Rejection, StoreError } from '../semaphore/rejection.ts';
import { isGone, Waiter } from '../semaphore/waiter.ts';
import type { CircuitBreaker } from './availability/circuit-breaker.ts';
import type { AssignedLease, DistributedPermit } from './semaphore/distributed-permit.ts';
import type { DistributedSemaphore, Outages } from './semaphore/distributed-semaphore.ts';
import type { DistributedLimit } from './semaphore/limit-state.ts';

/** Applies `onStoreError` while the store is unavailable. */
export class Fallback implements Outages {
  /** Counts the permits held here; also with `admit`, to register them when the store is available again. */
  #limiter: InProcessLimiter | undefined;

  constructor(
    private readonly semaphores: DistributedLimit<DistributedSemaphore>,
    private readonly breaker: CircuitBreaker,
  ) {}

  /** Admits, queues or rejects a new request while the store is unavailable. */
  newcomer(semaphore: DistributedSemaphore, waiter: Waiter, timeout: number): void {
    const { semaphores } = this;
    const { error } = this.breaker;
    this.breaker.affected(error);
    if (this.#policy === 'reject') {
      const cause = { limitName: semaphores.name, error };
      return semaphore.waiters.rejectNewcomer(waiter, 'store', cause);
    }
    const limiter = this.#begun();
    const asked = this.#asked(waiter, semaphore);
    const isAdmitted = this.#policy === 'admit';
    const permit = isAdmitted ? limiter.admitBeyond(asked) : limiter.tryAcquire(asked);
    if (permit !== undefined) return semaphore.admit(waiter, undefined, permit);
    if (limiter.queued >= semaphores.settings.queueLimit || !waiter.joins()) {
      return semaphore.waiters.rejectNewcomer(waiter, 'full');
    }
    // `joins` may have run application code.
    const again = semaphores.of(waiter.key, waiter.limit);
    if (semaphores.closed) return again.waiters.rejectNewcomer(waiter, 'closed');
    this.#wait(again, again.startWaiting(waiter, timeout));
  }

  takeOver(semaphore: DistributedSemaphore, lease: AssignedLease, error?: StoreError): void {
    const { waiter } = lease;
    if (waiter === undefined || lease.localWaiter !== undefined) return;
    this.breaker.affected(error);
    if (this.#policy === 'reject') {
      semaphore.reject(waiter, 'store', { limitName: this.semaphores.name, error });
    } else if (this.#policy === 'local') this.#wait(semaphore, lease);
    else {
      const permit = this.#begun().admitBeyond(this.#asked(waiter, semaphore));
      semaphore.admitInstead(lease, permit);
    }
  }

  setLimit(limit: number): void {
    this.#limiter?.setLimit(limit);
  }

  count(permit: DistributedPermit): void {
    permit.local ??= this.#limiter?.admitBeyond(permit);
  }

  withdraw(waiter: Waiter): void {
    this.#limiter?.withdraw(waiter);
  }

  /** The store has become unavailable: counts the held permits here, and takes over the waiters in order. */
  begin(): void {
    for (const semaphore of this.semaphores.inUse()) {
      semaphore.held.returnIdle();
      if (this.#policy !== 'reject') this.#begun();
      for (const lease of semaphore.waiters.leases())
        this.takeOver(semaphore, lease, this.breaker.error);
    }
  }

  /** The store is available again: registers the permits granted without it, and resumes the waiters there. */
  end(): void {
    this.#limiter = undefined;
    for (const { held } of this.semaphores.inUse()) held.leaveLocal();
    for (const semaphore of this.semaphores.inUse()) semaphore.resume();
  }

  get #policy() {
    return this.semaphores.settings.onStoreError;
  }

  /** The request to the local limiter; the limit may have been lowered since the waiter arrived. */
  #asked({ key, weight, limit }: Waiter, { limitState }: DistributedSemaphore): AcquireOptions {
    return { key, weight: Math.min(weight, limitState.limit), limit };
  }

  #wait(semaphore: DistributedSemaphore, lease: AssignedLease): void {
    const localWaiter = new LocalWaiter(this, semaphore, lease);
    lease.localWaiter = localWaiter;
    this.#begun().request(localWaiter);
  }

  #begun(): InProcessLimiter {
    if (this.#limiter !== undefined) return this.#limiter;
    this.#limiter = new InProcessLimiter({
      ...this.semaphores.settings,
      limit: this.semaphores.limit,
      queueLimit: Infinity,
      queueTimeout: Infinity,
      maxHold: Infinity,
      observer: {},
    });
    for (const { held } of this.semaphores.inUse()) {
      for (const permit of held.leased) this.count(permit);
    }
    return this.#limiter;
  }
}

/** Waits at the local limiter on behalf of a waiter whose lease the store cannot grant. */
class LocalWaiter extends Waiter {
  constructor(
    private readonly fallback: Fallback,
    private readonly semaphore: DistributedSemaphore,
    private readonly lease: AssignedLease,
  ) {
    super();
    const { waiter } = lease;
    if (waiter === undefined) return;
    this.key = waiter.key;
    this.limit = waiter.limit;
    this.weight = Math.min(waiter.weight, waiter.limit ?? semaphore.limitState.limit);
  }

  granted(permit: BasePermit): void {
    this.semaphore.admitInstead(this.lease, permit);
  }

  rejected({ reason }: Rejection): void {
    const { waiter } = this.lease;
    if (waiter !== undefined) this.semaphore.reject(waiter, reason);
  }

  override joins(): boolean {
    return this.semaphore.waiters.startQueueing(this.lease);
  }

  override gone(): boolean {
    const { waiter } = this.lease;
    return waiter === undefined || isGone(waiter);
  }

  /** The waiter has left. */
  leave(): void {
    this.fallback.withdraw(this);
  }
}
