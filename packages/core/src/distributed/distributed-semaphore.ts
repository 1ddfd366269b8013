import { throwLater } from '../errors.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { RejectionCause, RejectionReason, StoreError } from '../semaphore/rejection.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { Admission } from './admission.ts';
import { CachedLimitState } from './cached-limit-state.ts';
import { Handoff } from './handoff.ts';
import { HeldLeases } from './held-leases.ts';
import type { KeyedDistributedSemaphores } from './keyed-distributed-semaphores.ts';
import { Lease } from './lease.ts';
import { slackPart } from './lease-parts.ts';
import { Replies } from './replies.ts';
import type { LimitState } from './store.ts';
import { Waiters } from './waiters.ts';

/**
 * The leases and waiters of a distributed limit in this process: one for the limiter, or one for each key in use
 * here.
 */
export class DistributedSemaphore {
  readonly waiters = new Waiters();
  readonly limitState: CachedLimitState;
  readonly heldLeases: HeldLeases;
  readonly handoff: Handoff;
  readonly admission: Admission;
  readonly replies: Replies;

  constructor(
    readonly parent: KeyedDistributedSemaphores,
    readonly key: string | undefined,
    own: number | undefined,
  ) {
    this.limitState = new CachedLimitState(this, own);
    this.heldLeases = new HeldLeases(this);
    this.handoff = new Handoff(this);
    this.admission = new Admission(this);
    this.replies = new Replies(this);
  }

  /** Admits a new request if there is an idle lease; returns whether it has. */
  admitsAtOnce(waiter: Waiter): boolean {
    const lease = this.heldLeases.takeIdle(waiter.weight);
    if (lease !== undefined) this.admission.admit(waiter, lease);
    return lease !== undefined;
  }

  /** Requests a lease for the waiter from the store. */
  ask(waiter: Waiter, timeout: number): void {
    const lease = this.startWaiting(waiter, timeout);
    const mayWait = this.parent.timeLeft(waiter) > 0;
    if (!mayWait || this.waiters.sent < this.handoff.maxSent) this.#send(lease);
    else if (this.parent.queued >= this.parent.queueLimit || !this.startQueueing(lease)) {
      this.reject(waiter, 'full');
    }
  }

  /** Adds the waiter with a new lease, which is not requested from the store yet. */
  startWaiting(waiter: Waiter, timeout: number): Lease {
    const { deadlines, session } = this.parent;
    deadlines.start(waiter, timeout > 0 ? timeout : undefined);
    this.keep();
    const lease = new Lease(this, session.newId(), waiter.weight);
    this.waiters.add(waiter, lease);
    return lease;
  }

  /** Counts the lease's waiter as queued; returns false if the waiter declines. */
  startQueueing(lease: Lease): boolean {
    const { waiter, isCounted } = lease;
    if (isCounted || waiter === undefined) return waiter !== undefined;
    if (!waiter.queues() || waiter.queuedAt !== lease) return false;
    lease.isCounted = true;
    this.parent.queued++;
    this.parent.counters.queued(lease.weight, this.parent.queued);
    return true;
  }

  /** Admits the lease's waiter without the store. */
  admitInstead(lease: Lease, local: BasePermit): void {
    const waiter = this.leave(lease);
    this.parent.session.release(lease);
    if (waiter !== undefined) this.admission.admit(waiter, undefined, local);
  }

  /** The store is available again: renews held leases, and resumes the queued ones there. */
  resume(): void {
    const { session } = this.parent;
    this.heldLeases.renew();
    for (const lease of this.waiters.leases()) {
      lease.localWaiter = undefined;
      if (lease.state === 'queued') session.ask('stay', lease);
      else if (lease.state === 'asking') session.ask('acquire', lease);
    }
    this.#sendNext();
  }

  /** Other processes have waiters at the store: releases idle leases. */
  recalled(): void {
    this.limitState.othersWait();
    this.heldLeases.returnIdle();
  }

  learn(limitState: LimitState): void {
    this.limitState.learn(limitState);
    this.parent.fallback.tellOf(this);
    const first = this.waiters.first?.queuedAt as Lease | undefined;
    if (first?.state === 'queued') this.checkSoon(first);
  }

  withdraw(waiter: Waiter): void {
    const lease = waiter.queuedAt as Lease;
    this.leave(lease);
    this.parent.session.release(lease);
    this.parent.counters.withdrawn(waiter);
    this.settle();
  }

  /** Rejects the waiter because the store is unavailable. */
  rejectFor(waiter: Waiter, error: StoreError | undefined): void {
    this.reject(waiter, 'store', { limitName: this.parent.name, error });
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.refuse(waiter.queuedAt as Lease, reason, cause);
  }

  /** Rejects the lease's waiter. */
  refuse(lease: Lease, reason: RejectionReason, cause?: RejectionCause): void {
    const waiter = this.leave(lease);
    this.parent.session.release(lease);
    if (waiter !== undefined) this.notifyRejected(waiter, reason, cause);
    this.settle();
  }

  rejectNewcomer(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    const rejection = { ...this.limitState.rejection(waiter, reason), ...cause };
    this.parent.counters.rejected(rejection);
    waiter.rejected(rejection);
  }

  /** Extends the wait at the store in time, if the lease's present waiter may wait longer than the store knows. */
  prolong(lease: Lease): void {
    const { waiter, state, waitsUntil, renewAt } = lease;
    if (waiter === undefined || state !== 'queued') return;
    const { parent } = this;
    const { clock, leaseDuration: length } = parent.session.store;
    // Both times are rounded up to a whole millisecond.
    if (clock.now() + parent.timeLeft(waiter) <= waitsUntil + 1) return;
    const due = waitsUntil - length * slackPart;
    if (due < renewAt) parent.session.renewBy(lease, due);
  }

  /** Lets the first waiter check the store when a lease may have expired, which no message announces. */
  checkSoon(lease: Lease): void {
    const { checkAt } = this.limitState;
    if (checkAt < lease.renewAt && this.waiters.first === lease.waiter) {
      this.parent.session.renewBy(lease, checkAt);
    }
  }

  notifyRejected(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    try {
      this.rejectNewcomer(waiter, reason, cause);
    } catch (error) {
      throwLater(error);
    }
  }

  /** Removes and returns the lease's waiter; the caller decides what happens to the lease. */
  leave(lease: Lease): Waiter | undefined {
    const { parent } = this;
    const waiter = this.waiters.remove(lease);
    if (waiter === undefined) return undefined;
    parent.deadlines.remove(waiter);
    if (lease.isCounted) parent.queued--;
    lease.isCounted = false;
    parent.fallback.withdraw(lease);
    lease.localWaiter = undefined;
    return waiter;
  }

  keep(): void {
    if (this.key !== undefined) this.parent.keep(this, this.key);
  }

  /** Sends the next requests, and evicts the semaphore of an idle key. */
  settle(): void {
    this.#sendNext();
    const isIdle =
      this.admission.inflight === 0 && this.heldLeases.size === 0 && this.waiters.length === 0;
    if (isIdle && this.key !== undefined) this.parent.forget(this, this.key);
  }

  #send(lease: Lease): void {
    const waiter = this.waiters.remove(lease) as Waiter;
    lease.state = 'asking';
    lease.heard = this.parent.session.store.clock.now();
    this.waiters.add(waiter, lease);
    this.parent.session.ask('acquire', lease);
  }

  #sendNext(): void {
    const { waiters, parent } = this;
    if (parent.closed || parent.circuitBreaker.error !== undefined) return;
    for (
      let { firstUnsent } = waiters;
      firstUnsent !== undefined;
      firstUnsent = waiters.firstUnsent
    ) {
      if (waiters.sent >= this.handoff.maxSent) return;
      this.#send(firstUnsent.queuedAt as Lease);
    }
  }
}
