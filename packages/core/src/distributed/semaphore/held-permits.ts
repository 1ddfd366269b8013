import { invalid } from '../../errors.ts';
import type { BasePermit } from '../../semaphore/permit.ts';
import { StoreError } from '../../semaphore/rejection.ts';
import { type LeaseOwner, renewalPart } from '../lease/lease.ts';
import type { Session } from '../lease/session.ts';
import { AssignedLease, DistributedPermit, type PermitOwner } from './distributed-permit.ts';
import type { CachedLimitState, DistributedLimit } from './limit-state.ts';

/** The permits of one semaphore that this process holds, with their leases. Gives the lease of a released permit back. */
export class HeldPermits implements PermitOwner {
  /** Leases that permits use, or that are free for the next permit. */
  private readonly leases = new Set<AssignedLease>();
  /** Permits that were granted without the store, and are to be registered there. */
  private readonly unregistered = new Set<DistributedPermit>();

  constructor(
    private readonly semaphore: LeaseOwner,
    readonly limit: DistributedLimit,
    private readonly limitState: CachedLimitState,
    private readonly session: Session,
    /** A permit was released; its lease, if it has one, is free. */
    private readonly freed: (lease: AssignedLease | undefined) => void,
  ) {}

  get key(): string | undefined {
    return this.semaphore.ref.key;
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
    }
    this.freed(lease);
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
    this.leases.add(lease);
  }

  /** Returns a free lease to the store. */
  return(lease: AssignedLease): void {
    this.leases.delete(lease);
    this.session.release(lease);
  }

  /** The store is available again: renews the leases. */
  renew(): void {
    for (const lease of [...this.leases]) if (lease.state === 'held') this.session.renew(lease);
  }

  /** The lease was lost, and its permit with it. Returns whether it had a permit. */
  lost(lease: AssignedLease): boolean {
    const { name } = this.limit;
    const { permit } = lease;
    this.leases.delete(lease);
    if (permit === undefined) return false;
    this.limit.leaseLost(permit.weight);
    permit.lost(new StoreError('ERR_HEADGATE_LEASE_LOST', `a lease of "${name}" was lost`));
    return true;
  }

  /** The store answers: registers the permits granted without it, unless it has just refused that. */
  register(): void {
    const { clock } = this.session.store;
    if (this.unregistered.size > 0 && clock.now() >= this.limit.registerAt) this.#registerAll();
  }

  /** The store is available again: registers the permits granted without it, and counts none against the local limit. */
  leaveLocal(): void {
    for (const permit of this.leased) permit.local = undefined;
    for (const permit of this.unregistered) permit.local = undefined;
    this.#registerAll();
  }

  /** Registering the lease's permit has failed. */
  unregister(lease: AssignedLease, permit: DistributedPermit): void {
    const { clock, leaseDuration } = this.session.store;
    this.return(lease);
    permit.lease = undefined;
    this.unregistered.add(permit);
    this.limit.registerAt = clock.now() + leaseDuration * renewalPart;
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
}
