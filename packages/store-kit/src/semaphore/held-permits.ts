import type { BasePermit } from '@headgate/core/engine';
import type { LimitState } from '../contract.ts';
import { type LeasingSemaphore, renewalPart } from '../lease/lease.ts';
import type { Session } from '../lease/session.ts';
import { AssignedLease } from './assigned-lease.ts';
import { DistributedPermit, type PermitSource } from './distributed-permit.ts';
import type { CachedLimitState } from './limit-state.ts';

/** The permits of one semaphore that this process holds, and their leases. */
export class HeldPermits {
  /** The held leases, each with the permit that uses it. */
  private readonly leases = new Map<AssignedLease, DistributedPermit | undefined>();
  /** Permits that were granted without the store and must be registered there. */
  private readonly unregistered = new Set<DistributedPermit>();

  constructor(
    private readonly semaphore: PermitSource & LeasingSemaphore,
    private readonly limitState: CachedLimitState,
    private readonly session: Session,
  ) {}

  /** Whether neither a permit nor a lease is held. */
  get isEmpty(): boolean {
    return this.limitState.held === 0 && this.leases.size === 0;
  }

  get permits(): DistributedPermit[] {
    return [...this.leases.values(), ...this.unregistered].filter((permit) => permit !== undefined);
  }

  /** The permit that uses the lease. */
  permitOf(lease: AssignedLease): DistributedPermit | undefined {
    return this.leases.get(lease);
  }

  /** Creates a permit. Without a lease, it counts against the limit of this process alone. */
  create(
    weight: number,
    waited: number,
    lease?: AssignedLease,
    local?: BasePermit,
  ): DistributedPermit {
    const permit = new DistributedPermit(this.semaphore, weight, waited);
    permit.local = local;
    this.add(permit, lease);
    return permit;
  }

  add(permit: DistributedPermit, lease?: AssignedLease): void {
    if (lease === undefined) this.unregistered.add(permit);
    else this.#assign(permit, lease);
    this.limitState.changeHeld(permit.weight);
  }

  /** Removes a released permit; returns its lease, which is then free. */
  remove(permit: DistributedPermit): AssignedLease | undefined {
    const { lease, local, weight } = permit;
    this.limitState.changeHeld(-weight);
    local?.release();
    this.unregistered.delete(permit);
    if (lease === undefined) return undefined;
    lease.uses++;
    lease.excess = 0;
    this.leases.set(lease, undefined);
    return lease;
  }

  changeWeight(permit: DistributedPermit, weight: number): void {
    const { lease, local } = permit;
    this.limitState.changeHeld(weight - permit.weight);
    permit.weight = weight;
    if (lease !== undefined && lease.state !== 'ended') {
      lease.resize(weight);
      this.session.ask('resize', lease);
    }
    // Runs last, since the waiters that it admits may release the permit.
    local?.adjust(weight);
  }

  /** Adds a lease without a permit, which may have been granted with this answer. */
  addLease(lease: AssignedLease, answer?: LimitState): void {
    lease.excess = this.limitState.excess(answer);
    this.leases.set(lease, undefined);
  }

  deleteLease(lease: AssignedLease): void {
    this.leases.delete(lease);
  }

  /** Renews the leases when the store is available again. */
  renew(): void {
    for (const lease of [...this.leases.keys()])
      if (lease.state === 'held') this.session.renew(lease);
  }

  /** Registers the permits that were granted without the store, unless the store has just refused to register them. */
  register(): void {
    const { clock } = this.session.store;
    if (this.unregistered.size > 0 && clock.now() >= this.semaphore.group.registerAt) {
      this.#registerAll();
    }
  }

  /** Registers the permits that were granted without the store, and stops counting any against the local limit. */
  leaveLocal(): void {
    for (const permit of this.permits) permit.local = undefined;
    this.#registerAll();
  }

  /** Called when the store has not registered the permit of this lease. */
  unregister(lease: AssignedLease): void {
    const permit = this.leases.get(lease);
    if (permit === undefined) return;
    const { clock, leaseDuration } = this.session.store;
    this.leases.delete(lease);
    this.session.release(lease);
    permit.lease = undefined;
    this.unregistered.add(permit);
    this.semaphore.group.registerAt = clock.now() + leaseDuration * renewalPart;
  }

  #registerAll(): void {
    for (const permit of this.unregistered) {
      const lease = new AssignedLease(this.semaphore, this.session.newId(), permit.weight);
      this.#assign(permit, lease);
      this.session.ask('register', lease);
    }
    this.unregistered.clear();
  }

  #assign(permit: DistributedPermit, lease: AssignedLease): void {
    permit.hold(lease);
    this.leases.set(lease, permit);
  }
}
