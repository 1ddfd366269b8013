import { StoreError } from '../semaphore/rejection.ts';
import type { DistributedPermit } from './distributed-permit.ts';
import type { DistributedSemaphore } from './distributed-semaphore.ts';
import type { Lease } from './lease.ts';
import { Reserve } from './reserve.ts';

/** The leases of a distributed limit that this process holds, and what happens to them when a permit is released. */
export class HeldLeases {
  readonly #leases = new Set<Lease>();
  readonly #reserve: Reserve;

  constructor(private readonly semaphore: DistributedSemaphore) {
    this.#reserve = new Reserve(semaphore.parent.session.store, (lease) => {
      this.release(lease);
      this.semaphore.settle();
    });
  }

  get size(): number {
    return this.#leases.size;
  }

  /** Permits held with a lease. */
  get permits(): DistributedPermit[] {
    return [...this.#leases].flatMap(({ permit }) => permit ?? []);
  }

  add(lease: Lease): void {
    this.#leases.add(lease);
  }

  delete(lease: Lease): void {
    this.#leases.delete(lease);
  }

  release(lease: Lease): void {
    this.#leases.delete(lease);
    this.semaphore.parent.session.release(lease);
  }

  /** The store is available again: renews the leases. */
  renew(): void {
    for (const lease of [...this.#leases]) {
      if (lease.state !== 'held') continue;
      if (this.isCertain(lease)) this.semaphore.parent.session.ask('renew', lease);
      else this.lost(lease);
    }
  }

  /** The store has granted the lease's weight to another process, or may have. */
  lost(lease: Lease): void {
    const { name } = this.semaphore.parent;
    const { permit } = lease;
    this.#reserve.remove(lease);
    // Marked first, so that `lost` as the answer to its release is not reported again.
    lease.state = 'over';
    this.release(lease);
    if (permit === undefined) return this.semaphore.settle();
    this.semaphore.parent.leaseLost(permit.weight);
    permit.lost(new StoreError('ERR_HEADGATE_LEASE_LOST', `a lease of "${name}" was lost`));
  }

  /** Takes an idle lease for a new request, unless there are waiters. */
  takeIdle(weight: number): Lease | undefined {
    if (this.#reserve.size === 0 || this.semaphore.waiters.length > 0) return undefined;
    const lease = this.#reserve.take(weight);
    if (lease === undefined || this.isCertain(lease)) return lease;
    this.release(lease);
    return undefined;
  }

  returnIdle(): void {
    this.#reserve.empty();
  }

  /** Its permit was released: passes the lease to a waiter, keeps it idle, or releases it to the store. */
  reuseOrRelease(lease: Lease): void {
    const { handoff } = this.semaphore;
    if (handoff.mayPass(lease)) handoff.pass(lease);
    else if (this.#mayKeep(lease)) this.#reserve.keep(lease);
    else this.release(lease);
  }

  /** Whether the lease certainly still exists in the store. */
  isCertain(lease: Lease): boolean {
    const { session } = this.semaphore.parent;
    return session.store.clock.now() < session.endOf(lease);
  }

  /** Whether the lease may be reused without a call to the store. */
  isUsable(lease: Lease): boolean {
    const { closed, circuitBreaker } = this.semaphore.parent;
    const isUp = !closed && circuitBreaker.error === undefined;
    return isUp && lease.state === 'held' && this.isCertain(lease);
  }

  #mayKeep(lease: Lease): boolean {
    const { settings, spare } = this.semaphore.parent;
    if (this.#reserve.size >= settings.reserve || lease.uses > spare) return false;
    const { waiters, limitState } = this.semaphore;
    return waiters.length === 0 && !limitState.othersAreWaiting && this.isUsable(lease);
  }
}
