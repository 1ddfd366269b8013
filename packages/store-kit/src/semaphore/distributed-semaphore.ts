import type { RejectionReason, StoreError, Waiter } from '@headgate/core';
import {
  announce,
  attempt,
  type BasePermit,
  type GrantSource,
  grantFrom,
  grantQueued,
  type RejectionCause,
  waitedSince,
} from '@headgate/core/engine';
import type { LeaseVerb, LimitRef, LimitState, Reply } from '../contract.ts';
import type { LeaseTerms, LeasingSemaphore } from '../lease/lease.ts';
import type { Session } from '../lease/session.ts';
import { AssignedLease } from './assigned-lease.ts';
import type { DistributedPermit, PermitSource } from './distributed-permit.ts';
import type { DistributedSemaphoreGroup } from './distributed-semaphore-group.ts';
import { reportExcess } from './excess.ts';
import { HeldPermits } from './held-permits.ts';
import { IdleLeases, MAX_IDLE_TIME } from './idle-leases.ts';
import { CachedLimitState } from './limit-state.ts';
import { OwnLimit } from './own-limit.ts';
import type { SemaphoreContext } from './semaphore-context.ts';
import { Waiters } from './waiters.ts';

/**
 * A distributed limit in this process, or one key of it. Requests leases for its waiters. Passes each free lease to the
 * next waiter, keeps it in reserve, or returns it to the store.
 */
export class DistributedSemaphore implements LeasingSemaphore, PermitSource, GrantSource {
  isScheduled = false;
  readonly group: DistributedSemaphoreGroup;
  readonly terms: LeaseTerms;
  readonly limitState: CachedLimitState;
  readonly waiters: Waiters;
  readonly held: HeldPermits;
  readonly idle: IdleLeases;
  released = 0;
  readonly refusals: number[] = [];
  /** Free leases that are about to pass to a waiter. */
  private readonly passing: AssignedLease[] = [];
  private readonly session: Session;

  constructor(
    private readonly context: SemaphoreContext<DistributedSemaphore>,
    readonly key: string | undefined,
    limit: number | undefined,
  ) {
    const { group, session, breaker, fallback } = context;
    this.group = group;
    this.terms = group.terms;
    this.session = session;
    const own = limit === undefined ? undefined : new OwnLimit(limit);
    this.limitState = new CachedLimitState(group, key, own);
    this.waiters = new Waiters(group, this.limitState, session, (lease) =>
      fallback.takeOver(this, lease, breaker.error),
    );
    this.held = new HeldPermits(this, this.limitState, session);
    this.idle = new IdleLeases(session.store.clock, (leases) => {
      for (const lease of leases) this.#return(lease);
      this.settle();
    });
  }

  get ref(): LimitRef {
    return this.limitState.ref;
  }

  get refOfRelease(): LimitRef {
    return this.limitState.refOfRelease;
  }

  /** A limit of 1 is a lock, and keeps no idle lease: other processes would wait for a lock that no caller holds. */
  get reserves(): boolean {
    return this.group.settings.reserve > 0 && this.limitState.limit > 1;
  }

  get oldest(): Waiter | undefined {
    return this.waiters.first;
  }

  get holders(): number {
    return this.limitState.admitted - this.released;
  }

  get learnedTimeout(): number {
    return this.waiters.learnedTimeout;
  }

  get pauseLeft(): number {
    return this.limitState.pauseLeft;
  }

  /** Pauses it here at once, and at the store. */
  pauseFor(milliseconds: number): void {
    this.limitState.pauseFor(milliseconds);
    this.context.fallback.pauseChanged(this);
    this.idle.clear();
    this.group.declarePause(this.key, milliseconds);
  }

  close(): void {
    this.idle.clear();
  }

  /** Admits a new request if there is an idle lease; returns whether it has. */
  admitsAtOnce(waiter: Waiter): boolean {
    if (this.idle.length === 0) return false;
    // The limit may have been lowered after the leases became idle.
    if (!this.limitState.grantsFromLeases) this.idle.clear();
    const lease = this.waiters.length === 0 ? this.idle.take(waiter.weight) : undefined;
    const isUsable = lease !== undefined && this.session.isCertain(lease);
    if (isUsable) this.admit(waiter, lease);
    else if (lease !== undefined) this.#return(lease);
    return isUsable;
  }

  /**
   * Adds a new waiter. Requests its lease from the store at once, unless the maximum number of requests is unanswered.
   */
  ask(waiter: Waiter, timeout: number): void {
    const lease = this.addWaiter(waiter, timeout);
    announce(waiter);
    if (lease.waiter === waiter) this.group.counters.asked(waiter);
    // Its callback and the observers may have withdrawn it, or made room for its request.
    if (lease.waiter !== waiter || lease.state !== 'unsent') return;
    if (lease.timeLeft === 0 || this.waiters.maySend) this.waiters.send(lease);
    else if (this.waiters.isFull || !this.waiters.countAsQueued(lease)) this.reject(waiter, 'full');
  }

  /** Adds the waiter with a new lease, which is not requested from the store yet. */
  addWaiter(waiter: Waiter, timeout: number): AssignedLease {
    this.#keep();
    const lease = new AssignedLease(this, this.session.newId(), waiter.weight);
    this.waiters.add(waiter, lease, timeout);
    return lease;
  }

  /** Grants the waiter a permit with a lease or, during an outage, without one. */
  admit(waiter: Waiter, lease?: AssignedLease, local?: BasePermit): void {
    const { group } = this;
    this.#keep();
    const wasQueued = waiter.arrival !== 0;
    const now = wasQueued ? group.settings.clock.now() : 0;
    const waited = wasQueued ? waitedSince(waiter.since, now) : 0;
    if (lease !== undefined && lease.excess > 0) reportExcess(group, waiter, lease.excess);
    const permit = this.held.create(waiter.weight, waited, lease, local);
    if (lease !== undefined) this.context.fallback.count(permit);
    this.limitState.admitted++;
    group.load.record(Math.max(waiter.weight, this.limitState.inflight));
    group.permits.add(permit, waiter);
    if (waited > 0) {
      permit.waiter = waiter;
      permit.since ??= now;
    }
    grantQueued(waiter, permit);
  }

  withdraw(waiter: Waiter): void {
    this.waiters.leave(waiter.queuedIn as AssignedLease);
    this.group.counters.withdrawn(waiter, waiter.since);
    attempt(() => waiter.withdrawn());
    this.settle();
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    const lease = waiter.queuedIn as AssignedLease;
    if (this.waiters.excuses(reason)) {
      this.waiters.reportExcused(waiter, reason);
      this.context.fallback.admit(this, lease);
    } else this.waiters.reject(lease, reason, cause);
    this.settle();
  }

  /** Other processes have waiters at the store: releases idle leases. */
  recalled(): void {
    this.limitState.othersWait();
    this.idle.clear();
  }

  /** Called when the store is available again: renews held leases, and continues the wait of queued ones. */
  resume(): void {
    this.held.renew();
    for (const lease of this.waiters.leases()) {
      lease.localWaiter = undefined;
      if (lease.state === 'queued') this.session.ask('stay', lease);
      else if (lease.state === 'requested') this.waiters.request(lease);
    }
    this.settle();
  }

  learn(limitState: LimitState, verb: LeaseVerb, ref: LimitRef): void {
    // Only a new permit shows that the store accepts calls again: a store that refuses new permits may still renew held
    // ones.
    if (verb === 'acquire' || verb === 'stay') this.context.breaker.succeeded();
    this.limitState.learn(limitState, this.#now(), ref);
    this.held.register();
    const first = this.waiters.first?.queuedIn as AssignedLease | undefined;
    if (first?.state === 'queued') this.#checkFirst(first);
  }

  queued(lease: AssignedLease): boolean {
    const isRejected = this.group.rejects || (!lease.isCounted && this.#outlasts(lease));
    const isQueued = !isRejected && this.waiters.countAsQueued(lease);
    if (isQueued) this.#checkFirst(lease);
    else this.rejected(lease);
    return isQueued;
  }

  granted(lease: AssignedLease, answer?: Reply): void {
    lease.since = this.#now();
    if (this.held.permitOf(lease) !== undefined) return;
    this.held.addLease(lease, answer);
    this.#pass(lease);
  }

  rejected(lease: AssignedLease): void {
    const { waiter } = lease;
    if (waiter === undefined) return this.settle();
    const reason = this.#outlasts(lease) ? 'paused' : 'full';
    this.reject(waiter, this.group.rejects ? 'closed' : reason);
    // Shadow mode may have admitted the request without the store, so its permit must be registered.
    this.held.register();
  }

  /** Whether the lease's waiter would time out before the pause ends. */
  #outlasts({ timeLeft }: AssignedLease): boolean {
    const { pauseLeft } = this.limitState;
    return pauseLeft > 0 && pauseLeft > timeLeft;
  }

  lost(lease: AssignedLease): void {
    const permit = this.held.permitOf(lease);
    this.idle.delete(lease);
    this.held.deleteLease(lease);
    if (permit === undefined) return this.settle();
    this.dropped(permit);
    permit.lost();
  }

  dropped({ weight }: { readonly weight: number }): void {
    this.group.leaseLost(weight);
  }

  failed(lease: AssignedLease, verb: LeaseVerb, error: StoreError): void {
    const { breaker, fallback } = this.context;
    breaker.failed(this.key, error);
    if (lease.state === 'ended') return;
    if (verb === 'register') this.held.unregister(lease);
    else if (verb === 'acquire' || verb === 'stay') fallback.takeOver(this, lease, error);
  }

  release(permit: DistributedPermit): void {
    this.released++;
    this.waiters.answered(permit);
    const lease = this.held.remove(permit);
    if (lease !== undefined) this.#reuse(lease);
    this.settle();
  }

  changeWeight(permit: DistributedPermit, weight: number): void {
    this.held.changeWeight(permit, weight);
  }

  /** Passes free leases to waiters. Runs later, so that no waiter is granted inside another waiter's callback. */
  serve(): void {
    // The array may grow during the iteration.
    for (const lease of this.passing) {
      // The limit may have been paused or lowered since the lease became free.
      if (this.limitState.grantsFromLeases) this.#pass(lease);
      else {
        this.#return(lease);
        this.settle();
      }
    }
    this.passing.length = 0;
  }

  /** Sends the next requests. Evicts the semaphore of an idle key. */
  settle(): void {
    if (this.#isUp) this.waiters.sendNext();
    const { key } = this;
    if (key !== undefined && this.held.isEmpty && this.waiters.length === 0)
      this.group.forget(this, key);
  }

  /** Makes the first waiter ask the store when a lease may have expired, since no message announces that. */
  #checkFirst(lease: AssignedLease): void {
    if (this.waiters.first !== lease.waiter) return;
    this.session.checkBy(lease, this.limitState.checkAt);
  }

  get #isUp(): boolean {
    return !this.group.closed && this.context.breaker.error === undefined;
  }

  /** Passes a free lease to a waiter of this process, keeps it idle for the next request, or returns it. */
  #reuse(lease: AssignedLease): void {
    const { settings } = this.group;
    const next = this.waiters.first;
    const isRecent = this.#now() - lease.since < MAX_IDLE_TIME;
    const passes = next?.weight === lease.weight && lease.uses <= settings.handoff && isRecent;
    const mayKeep = next === undefined && this.#mayKeep(lease);
    if (!(passes || mayKeep) || !this.#isUsable(lease)) this.#return(lease);
    else if (mayKeep) this.idle.add(lease);
    else {
      this.passing.push(lease);
      grantFrom(this);
    }
  }

  /** Whether the lease may become idle: no process has waiters, and the lease may be used once more. */
  #mayKeep({ uses }: AssignedLease): boolean {
    const hasRoom = this.reserves && this.idle.length < this.group.settings.reserve;
    return hasRoom && uses <= this.terms.extraTokens && this.limitState.queued === 0;
  }

  #isUsable(lease: AssignedLease): boolean {
    const isHeld = this.#isUp && lease.state === 'held' && this.session.isCertain(lease);
    return isHeld && this.limitState.grantsFromLeases;
  }

  /** Passes a free lease to the next waiter, or returns it if there is none. */
  #pass(lease: AssignedLease): void {
    const waiter = this.waiters.next(lease);
    if (waiter === undefined) this.#return(lease);
    else this.admit(waiter, lease);
    this.settle();
  }

  #return(lease: AssignedLease): void {
    this.held.deleteLease(lease);
    this.session.release(lease);
  }

  #now(): number {
    return this.session.store.clock.now();
  }

  #keep(): void {
    if (this.key !== undefined) this.group.keep(this, this.key);
  }
}
