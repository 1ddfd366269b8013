import type { AcquireOptions } from '../limiter/acquire-options.ts';
import { InProcessLimiter } from '../limiter/local-limiter.ts';
import type { OutagePolicy } from '../limiter/source.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Rejection, StoreError } from '../semaphore/rejection.ts';
import { isGone, Waiter } from '../semaphore/waiter.ts';
import type { DistributedPermit } from './distributed-permit.ts';
import type { DistributedSemaphore } from './distributed-semaphore.ts';
import type { KeyedDistributedSemaphores } from './keyed-distributed-semaphores.ts';
import type { Lease } from './lease.ts';
import { renewalPart } from './lease-parts.ts';

/** Applies `onStoreError` while the store is unavailable. */
export class Fallback {
  /** Counts the permits held here; also with `admit`, to register them when the store is available again. */
  #limiter: InProcessLimiter | undefined;
  /** Permits that were granted without the store. */
  readonly #unregistered = new Set<DistributedPermit>();
  /** When registering may be tried again, after the store has refused it. */
  #retryAt = -Infinity;

  constructor(
    private readonly parent: KeyedDistributedSemaphores,
    readonly policy: OutagePolicy,
  ) {}

  /** Admits, queues or rejects a new request while the store is unavailable. */
  newcomer(semaphore: DistributedSemaphore, waiter: Waiter, timeout: number): void {
    const { name, circuitBreaker } = this.parent;
    this.parent.affected(circuitBreaker.error);
    if (this.policy === 'reject') {
      return semaphore.rejectNewcomer(waiter, 'store', {
        limitName: name,
        error: circuitBreaker.error,
      });
    }
    const limiter = this.#begun();
    const asked = this.#asked(waiter, semaphore);
    const permit = this.policy === 'admit' ? limiter.admitBeyond(asked) : limiter.tryAcquire(asked);
    if (permit !== undefined) return semaphore.admission.admit(waiter, undefined, permit);
    if (limiter.queued >= this.parent.queueLimit || !waiter.joins()) {
      return semaphore.rejectNewcomer(waiter, 'full');
    }
    // `joins` may have run application code.
    const again = this.parent.of(waiter.key, waiter.limit);
    if (this.parent.closed) return again.rejectNewcomer(waiter, 'closed');
    this.#wait(again.startWaiting(waiter, timeout));
  }

  /** Takes over a waiter whose lease is requested or queued at the store. */
  take(lease: Lease, error: StoreError | undefined): void {
    const { semaphore, waiter } = lease;
    if (waiter === undefined || lease.localWaiter !== undefined) return;
    this.parent.affected(error);
    if (this.policy === 'reject') semaphore.rejectFor(waiter, error);
    else if (this.policy === 'local') this.#wait(lease);
    else semaphore.admitInstead(lease, this.#begun().admitBeyond(this.#asked(waiter, semaphore)));
  }

  setLimit(limit: number): void {
    this.#limiter?.setLimit(limit);
  }

  withdraw({ localWaiter }: Lease): void {
    if (localWaiter !== undefined) this.#limiter?.withdraw(localWaiter);
  }

  /** Counts a permit with a lease here as well, while others are admitted without the store. */
  count(permit: DistributedPermit): void {
    permit.local ??= this.#limiter?.admitBeyond(permit);
  }

  /** Adds a permit that was granted without the store. */
  add(permit: DistributedPermit): void {
    this.#unregistered.add(permit);
  }

  forget(permit: DistributedPermit): void {
    this.#unregistered.delete(permit);
  }

  /** Registering the permit has failed. */
  addAgain(permit: DistributedPermit): void {
    const { clock, leaseDuration: lease } = this.parent.session.store;
    this.#unregistered.add(permit);
    this.#retryAt = clock.now() + lease * renewalPart;
  }

  /** The store answers: registers the permits that were granted without it, unless it has just refused that. */
  tellOf(semaphore: DistributedSemaphore): void {
    if (this.#unregistered.size === 0 || this.parent.session.store.clock.now() < this.#retryAt)
      return;
    for (const permit of this.#unregistered) {
      if (permit.semaphore !== semaphore) continue;
      this.#unregistered.delete(permit);
      semaphore.admission.register(permit);
    }
  }

  /** The store has become unavailable: counts the held permits here, and takes over the waiters in order. */
  begin(): void {
    for (const semaphore of this.parent.inUse()) {
      semaphore.heldLeases.returnIdle();
      if (this.policy !== 'reject') this.#begun();
      for (const lease of semaphore.waiters.leases())
        this.take(lease, this.parent.circuitBreaker.error);
    }
  }

  /** The store is available again: registers the permits granted without it, and resumes the waiters there. */
  end(): void {
    this.#limiter = undefined;
    for (const semaphore of this.parent.inUse()) {
      for (const permit of semaphore.heldLeases.permits) permit.local = undefined;
    }
    for (const permit of this.#unregistered) {
      permit.local = undefined;
      permit.semaphore.admission.register(permit);
    }
    this.#unregistered.clear();
    for (const semaphore of this.parent.inUse()) semaphore.resume();
  }

  /** The request to the local limiter; the limit may have been lowered since the waiter arrived. */
  #asked({ key, weight, limit }: Waiter, { limitState }: DistributedSemaphore): AcquireOptions {
    return { key, weight: Math.min(weight, limitState.limit), limit };
  }

  #wait(lease: Lease): void {
    const localWaiter = new LocalWaiter(lease);
    lease.localWaiter = localWaiter;
    this.#begun().request(localWaiter);
  }

  #begun(): InProcessLimiter {
    if (this.#limiter !== undefined) return this.#limiter;
    const { settings, limit } = this.parent;
    this.#limiter = new InProcessLimiter({
      ...settings,
      limit,
      queueLimit: Infinity,
      queueTimeout: Infinity,
      maxHold: Infinity,
      observer: {},
    });
    for (const semaphore of this.parent.inUse()) {
      for (const permit of semaphore.heldLeases.permits) this.count(permit);
    }
    return this.#limiter;
  }
}

/** Waits at the local limiter on behalf of a waiter whose lease the store cannot grant. */
class LocalWaiter extends Waiter {
  constructor(private readonly lease: Lease) {
    super();
    const { waiter } = lease;
    if (waiter === undefined) return;
    this.key = waiter.key;
    this.limit = waiter.limit;
    this.weight = Math.min(waiter.weight, waiter.limit ?? lease.semaphore.limitState.limit);
  }

  granted(permit: BasePermit): void {
    this.lease.semaphore.admitInstead(this.lease, permit);
  }

  rejected({ reason }: Rejection): void {
    if (this.lease.waiter !== undefined) this.lease.semaphore.reject(this.lease.waiter, reason);
  }

  override joins(): boolean {
    return this.lease.semaphore.startQueueing(this.lease);
  }

  override gone(): boolean {
    return this.lease.waiter === undefined || isGone(this.lease.waiter);
  }
}
