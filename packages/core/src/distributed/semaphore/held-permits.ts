import { startTimer } from '../../clock.ts';
import { invalid } from '../../errors.ts';
import { grantFrom, type Served } from '../../semaphore/grants.ts';
import type { BasePermit } from '../../semaphore/permit.ts';
import { StoreError } from '../../semaphore/rejection.ts';
import { type LeaseOwner, renewalPart } from '../lease/lease.ts';
import type { Session } from '../lease/session.ts';
import { AssignedLease, DistributedPermit, type PermitOwner } from './distributed-permit.ts';
import type { CachedLimitState, DistributedLimit } from './limit-state.ts';

/** Maximum time in milliseconds for which a process keeps a lease idle, or hands it on. */
const MAX_IDLE_TIME = 100;

/** Uses free leases: a semaphore. */
export interface LeaseUser extends LeaseOwner {
  /** The weight of the first waiter of this process; undefined if there is none. */
  readonly nextWeight: number | undefined;
  /** Whether leases may be reused without a call to the store. */
  readonly isUp: boolean;
  /** Grants a free lease to the next waiter. */
  pass(lease: AssignedLease): void;
  /** Permits or leases were released. */
  settle(): void;
}

/**
 * The permits of one semaphore that this process holds, and their leases. The lease of a released permit passes to a
 * waiter of this process, or is kept idle for a moment, so that the next request needs no round trip, or is released.
 */
export class HeldPermits implements PermitOwner, Served {
  ready = false;
  private readonly leases = new Set<AssignedLease>();
  /** Leases that are kept idle, the one that became idle last at the end. */
  private readonly idle: AssignedLease[] = [];
  private cancelTimer: (() => void) | undefined = undefined;
  /** Leases that pass to a waiter. */
  private readonly passing: AssignedLease[] = [];
  /** Permits that were granted without the store, and are to be registered there. */
  private readonly unregistered = new Set<DistributedPermit>();

  constructor(
    private readonly semaphore: LeaseUser,
    readonly limit: DistributedLimit,
    private readonly limitState: CachedLimitState,
    private readonly session: Session,
  ) {}

  get key(): string | undefined {
    return this.limitState.key;
  }

  /** Whether neither a permit nor a lease is held. */
  get isEmpty(): boolean {
    return this.limitState.held === 0 && this.leases.size === 0;
  }

  /** Permits held with a lease. */
  get leased(): DistributedPermit[] {
    return [...this.leases].flatMap(({ permit }) => permit ?? []);
  }

  /** Creates a permit. Without a lease, it counts against the limit of this process alone. */
  create(weight: number, waited: number, lease?: AssignedLease, local?: BasePermit) {
    const permit = new DistributedPermit(this, weight, waited);
    permit.local = local;
    if (lease === undefined) this.unregistered.add(permit);
    else permit.hold(lease);
    this.limitState.hold(weight);
    return permit;
  }

  release(permit: DistributedPermit): void {
    const { lease, local, weight } = permit;
    this.limitState.hold(-weight);
    this.limitState.returned += weight;
    local?.release();
    this.unregistered.delete(permit);
    if (lease !== undefined) {
      lease.permit = undefined;
      lease.uses++;
      this.#reuse(lease);
    }
    this.semaphore.settle();
  }

  reweigh(permit: DistributedPermit, weight: number): void {
    if (!this.session.store.can.resize) {
      const expected = `${permit.weight}, as granted, since this store cannot resize leases`;
      throw invalid('weight', expected, weight);
    }
    const { lease, local } = permit;
    this.limitState.hold(weight - permit.weight);
    permit.weight = weight;
    local?.adjust(weight);
    if (lease === undefined || lease.state === 'over') return;
    lease.resize(weight);
    this.session.ask('resize', lease);
  }

  /** The store has granted the lease. */
  add(lease: AssignedLease): void {
    lease.since = this.#now();
    this.leases.add(lease);
  }

  /** Takes the most recently used idle lease of this weight, so that the others can be released. */
  takeIdle(weight: number): AssignedLease | undefined {
    const index = this.idle.findLastIndex((lease) => lease.weight === weight);
    if (index < 0) return undefined;
    const lease = this.idle.splice(index, 1)[0] as AssignedLease;
    if (this.session.isCertain(lease)) return lease;
    this.return(lease);
    return undefined;
  }

  /** Releases all leases that have been idle since this time or longer. */
  returnIdle(since = Infinity): void {
    const kept = this.idle.findIndex((lease) => lease.since > since);
    const old = this.idle.splice(0, kept < 0 ? Infinity : kept);
    for (const lease of old) this.return(lease);
    if (this.idle.length === 0) {
      this.cancelTimer?.();
      this.cancelTimer = undefined;
    }
    if (old.length > 0) this.semaphore.settle();
  }

  /** Releases a free lease to the store. */
  return(lease: AssignedLease): void {
    this.leases.delete(lease);
    this.session.release(lease);
  }

  /** Passes leases to waiters, not within another waiter's answer. */
  serve(): void {
    // The array may grow during the iteration.
    for (const lease of this.passing) this.semaphore.pass(lease);
    this.passing.length = 0;
  }

  /** The lease was lost, and its permit with it. */
  lost(lease: AssignedLease): void {
    const { name } = this.limit;
    const { permit } = lease;
    const index = this.idle.indexOf(lease);
    if (index >= 0) this.idle.splice(index, 1);
    this.leases.delete(lease);
    if (permit === undefined) return this.semaphore.settle();
    this.limit.leaseLost(permit.weight);
    permit.lost(new StoreError('ERR_HEADGATE_LEASE_LOST', `a lease of "${name}" was lost`));
  }

  /** The store is available again: renews the leases. */
  renew(): void {
    for (const lease of [...this.leases]) if (lease.state === 'held') this.session.renew(lease);
  }

  /** The store answers: registers the permits granted without it, unless it has just refused that. */
  register(): void {
    if (this.unregistered.size > 0 && this.#now() >= this.limit.registerAt) this.#registerAll();
  }

  /** The store is available again: registers the permits granted without it, and counts none against the local limit. */
  leaveLocal(): void {
    for (const permit of this.leased) permit.local = undefined;
    for (const permit of this.unregistered) permit.local = undefined;
    this.#registerAll();
  }

  /** Registering the lease's permit has failed. */
  unregister(lease: AssignedLease, permit: DistributedPermit): void {
    this.return(lease);
    permit.lease = undefined;
    this.unregistered.add(permit);
    this.limit.registerAt = this.#now() + this.session.store.leaseDuration * renewalPart;
  }

  #registerAll(): void {
    for (const permit of this.unregistered) {
      const lease = new AssignedLease(this.semaphore, this.session.newId(), permit.weight);
      permit.hold(lease);
      this.leases.add(lease);
      this.session.ask('register', lease);
    }
    this.unregistered.clear();
  }

  #reuse(lease: AssignedLease): void {
    if (this.#mayPass(lease)) {
      this.passing.push(lease);
      grantFrom(this);
    } else if (this.#mayKeep(lease)) {
      lease.since = this.#now();
      this.idle.push(lease);
      if (this.cancelTimer === undefined) this.#arm(MAX_IDLE_TIME);
    } else this.return(lease);
  }

  #mayPass(lease: AssignedLease): boolean {
    if (lease.uses > this.limit.settings.handoff) return false;
    if (this.semaphore.nextWeight !== lease.weight) return false;
    return this.#now() - lease.since < MAX_IDLE_TIME && this.#isUsable(lease);
  }

  #mayKeep(lease: AssignedLease): boolean {
    const { settings, terms } = this.limit;
    if (this.idle.length >= settings.reserve || lease.uses > terms.spare) return false;
    const isWanted = this.semaphore.nextWeight !== undefined || this.limitState.queued > 0;
    return !isWanted && this.#isUsable(lease);
  }

  #isUsable(lease: AssignedLease): boolean {
    return this.semaphore.isUp && lease.state === 'held' && this.session.isCertain(lease);
  }

  #arm(delay: number): void {
    this.cancelTimer = startTimer(this.session.store.clock, delay, () => {
      this.cancelTimer = undefined;
      const now = this.#now();
      this.returnIdle(now - MAX_IDLE_TIME);
      const oldest = this.idle[0];
      if (oldest !== undefined) this.#arm(oldest.since + MAX_IDLE_TIME - now);
    });
  }

  #now(): number {
    return this.session.store.clock.now();
  }
}
