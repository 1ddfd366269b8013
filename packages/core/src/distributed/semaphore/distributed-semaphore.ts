import { throwLater } from '../../errors.ts';
import type { BasePermit } from '../../semaphore/permit.ts';
import type { RejectionCause, RejectionReason, StoreError } from '../../semaphore/rejection.ts';
import { grant, type Waiter, waitedSince } from '../../semaphore/waiter.ts';
import type { CircuitBreaker } from '../availability/circuit-breaker.ts';
import type { LeaseVerb, LimitRef, LimitState } from '../contract.ts';
import type { LeaseTerms } from '../lease/lease.ts';
import type { Session } from '../lease/session.ts';
import { AssignedLease, type DistributedPermit } from './distributed-permit.ts';
import { HeldPermits, type LeaseUser } from './held-permits.ts';
import { CachedLimitState, type DistributedLimit } from './limit-state.ts';
import { Waiters } from './waiters.ts';

/** Decides what happens to waiters and permits while the store is unavailable. */
export interface Outages {
  /** Takes over a waiter whose lease the store did not grant. */
  takeOver(semaphore: DistributedSemaphore, lease: AssignedLease, error?: StoreError): void;
  /** Counts a permit with a lease against the local limit as well, if there is one. */
  count(permit: DistributedPermit): void;
}

/** What the semaphores of a limiter need from it. */
export interface SemaphoreContext {
  readonly limit: DistributedLimit;
  readonly session: Session;
  readonly breaker: CircuitBreaker;
  readonly outages: Outages;
}

/**
 * A distributed limit in this process: one for the limiter, or one for each key in use here. Requests leases for its
 * waiters, and passes each free lease to the next waiter, to its reserve, or back to the store.
 */
export class DistributedSemaphore implements LeaseUser {
  readonly limitState: CachedLimitState;
  readonly waiters: Waiters;
  readonly held: HeldPermits;

  constructor(
    private readonly context: SemaphoreContext,
    readonly key: string | undefined,
    own: number | undefined,
  ) {
    const { limit, session, breaker, outages } = context;
    this.limitState = new CachedLimitState(limit, key, own);
    this.waiters = new Waiters(limit, this.limitState, session, (lease) =>
      outages.takeOver(this, lease, breaker.error),
    );
    this.held = new HeldPermits(this, limit, this.limitState, session);
  }

  get ref(): LimitRef {
    return this.limitState.ref;
  }

  get oldest(): Waiter | undefined {
    return this.waiters.first;
  }

  get terms(): LeaseTerms {
    return this.context.limit.terms;
  }

  /** Admits a new request if there is an idle lease; returns whether it has. */
  admitsAtOnce(waiter: Waiter): boolean {
    const lease = this.waiters.length === 0 ? this.held.takeIdle(waiter.weight) : undefined;
    if (lease !== undefined) this.admit(waiter, lease);
    return lease !== undefined;
  }

  /** Requests a lease for the waiter from the store. */
  ask(waiter: Waiter, timeout: number): void {
    const { limit } = this.context;
    const lease = this.startWaiting(waiter, timeout);
    const mayWait = lease.timeLeft > 0;
    if (!mayWait || this.waiters.maySend(this.limitState.limit)) this.waiters.send(lease);
    else if (limit.queued >= this.terms.queueLimit || !this.waiters.startQueueing(lease)) {
      this.reject(waiter, 'full');
    }
  }

  /** Adds the waiter with a new lease, which is not requested from the store yet. */
  startWaiting(waiter: Waiter, timeout: number): AssignedLease {
    this.#keep();
    const lease = new AssignedLease(this, this.context.session.newId(), waiter.weight);
    this.waiters.start(waiter, lease, timeout);
    return lease;
  }

  /** Grants the waiter a permit with a lease or, during an outage, without one. */
  admit(waiter: Waiter, lease?: AssignedLease, local?: BasePermit): void {
    const { limit, outages } = this.context;
    const waited = waiter.arrival === 0 ? 0 : waitedSince(waiter.since, limit.settings.clock.now());
    this.#keep();
    const permit = this.held.create(waiter.weight, waited, lease, local);
    if (lease !== undefined) outages.count(permit);
    limit.permits.add(permit);
    try {
      grant(waiter, permit);
    } catch (error) {
      throwLater(error);
    }
  }

  /** Admits the lease's waiter without the store. */
  admitInstead(lease: AssignedLease, local: BasePermit): void {
    const waiter = this.waiters.leave(lease);
    if (waiter !== undefined) this.admit(waiter, undefined, local);
  }

  withdraw(waiter: Waiter): void {
    this.waiters.leave(waiter.queuedAt as AssignedLease);
    this.context.limit.counters.withdrawn(waiter);
    this.settle();
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.waiters.reject(waiter.queuedAt as AssignedLease, reason, cause);
    this.settle();
  }

  /** Other processes have waiters at the store: releases idle leases. */
  recalled(): void {
    this.limitState.othersWait();
    this.held.returnIdle();
  }

  /** The store is available again: renews held leases, and resumes the queued ones there. */
  resume(): void {
    const { session } = this.context;
    this.held.renew();
    for (const lease of this.waiters.leases()) {
      lease.localWaiter = undefined;
      if (lease.state === 'queued') session.ask('stay', lease);
      else if (lease.state === 'asking') session.ask('acquire', lease);
    }
    if (this.isUp) this.waiters.sendNext(this.limitState.limit);
  }

  learn(limitState: LimitState, verb: LeaseVerb): void {
    const { breaker, session } = this.context;
    // A store that refuses new permits may still renew those that are held.
    if (verb === 'acquire' || verb === 'stay') breaker.worked();
    this.limitState.learn(limitState, session.store.clock.now());
    this.held.register();
    const first = this.waiters.first?.queuedAt as AssignedLease | undefined;
    if (first?.state === 'queued') this.#checkFirst(first);
  }

  queued(lease: AssignedLease): boolean {
    const { limit, session } = this.context;
    const hasRoom = session.store.can.queueLimit || limit.queued < this.terms.queueLimit;
    const isQueued = hasRoom && this.waiters.startQueueing(lease);
    if (isQueued) this.#checkFirst(lease);
    else this.rejected(lease);
    return isQueued;
  }

  granted(lease: AssignedLease): void {
    this.held.add(lease);
    if (lease.permit === undefined) this.pass(lease);
  }

  rejected(lease: AssignedLease): void {
    this.waiters.reject(lease, 'full');
    this.settle();
  }

  lost(lease: AssignedLease): void {
    this.held.lost(lease);
  }

  dropped({ weight }: AssignedLease): void {
    this.context.limit.leaseLost(weight);
  }

  failed(lease: AssignedLease, verb: LeaseVerb, error: StoreError): void {
    const { breaker, outages } = this.context;
    breaker.failed(this.key, error);
    if (lease.state === 'over') return;
    const { permit } = lease;
    if (verb === 'register' && permit !== undefined) this.held.unregister(lease, permit);
    else if (verb === 'acquire' || verb === 'stay') outages.takeOver(this, lease, error);
  }

  get nextWeight(): number | undefined {
    return this.waiters.first?.weight;
  }

  get isUp(): boolean {
    const { limit, breaker } = this.context;
    return !limit.closed && breaker.error === undefined;
  }

  /** Passes a free lease to the next waiter, or releases it to the store if there is none. */
  pass(lease: AssignedLease): void {
    const waiter = this.waiters.next(lease);
    if (waiter === undefined) this.held.return(lease);
    else this.admit(waiter, lease);
    this.settle();
  }

  /** Sends the next requests, and evicts the semaphore of an idle key. */
  settle(): void {
    if (this.isUp) this.waiters.sendNext(this.limitState.limit);
    const isIdle = this.held.isEmpty && this.waiters.length === 0;
    if (isIdle && this.key !== undefined) this.context.limit.forget(this, this.key);
  }

  /** Lets the first waiter check the store when a lease may have expired, which no message announces. */
  #checkFirst(lease: AssignedLease): void {
    if (this.waiters.first !== lease.waiter) return;
    this.context.session.checkBy(lease, this.limitState.checkAt);
  }

  #keep(): void {
    if (this.key !== undefined) this.context.limit.keep(this, this.key);
  }
}
