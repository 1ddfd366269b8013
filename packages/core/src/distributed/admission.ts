import { throwLater } from '../errors.ts';
import { isLate } from '../semaphore/deadlines.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import { grant, isGone, type Waiter, waitedSince } from '../semaphore/waiter.ts';
import { DistributedPermit } from './distributed-permit.ts';
import type { DistributedSemaphore } from './distributed-semaphore.ts';
import { Lease } from './lease.ts';

/** Grants permits, with a lease or during an outage without one, and takes releases. */
export class Admission {
  /** Weight held. */
  inflight = 0;
  /** Total weight ever released, for `Retry-After`. */
  returned = 0;

  constructor(private readonly semaphore: DistributedSemaphore) {}

  /** Passes a free lease to the next waiter, or releases it to the store if there is none. */
  pass(lease: Lease): void {
    const { semaphore } = this;
    const { handoff, heldLeases } = semaphore;
    for (let waiter = handoff.next(lease); waiter !== undefined; waiter = handoff.next(lease)) {
      if (this.#dropsIfLate(waiter)) continue;
      this.admit(waiter, lease);
      return semaphore.settle();
    }
    heldLeases.release(lease);
    semaphore.settle();
  }

  /** Grants the waiter a permit. Without a lease, the permit counts against the limit of this process alone. */
  admit(waiter: Waiter, lease?: Lease, local?: BasePermit): void {
    const { semaphore } = this;
    const { clock, permits, fallback } = semaphore.parent;
    const waited = waiter.arrival === 0 ? 0 : waitedSince(waiter.since, clock.now());
    const permit = new DistributedPermit(semaphore, waiter.weight, waited);
    permit.local = local;
    semaphore.keep();
    if (lease === undefined) fallback.add(permit);
    else {
      permit.hold(lease);
      fallback.count(permit);
    }
    this.#hold(waiter.weight);
    permits.add(permit);
    try {
      grant(waiter, permit);
    } catch (error) {
      throwLater(error);
    }
  }

  /** Registers at the store a permit that was granted without it. */
  register(permit: DistributedPermit): void {
    const { semaphore } = this;
    const { session } = semaphore.parent;
    const lease = new Lease(semaphore, session.newId(), permit.weight);
    lease.state = 'asking';
    permit.hold(lease);
    semaphore.heldLeases.add(lease);
    session.ask('register', lease);
  }

  freed(permit: DistributedPermit): void {
    const { lease, local, weight } = permit;
    this.#hold(-weight);
    this.returned += weight;
    local?.release();
    this.semaphore.parent.fallback.forget(permit);
    if (lease !== undefined) {
      lease.permit = undefined;
      lease.uses++;
      this.semaphore.heldLeases.reuseOrRelease(lease);
    }
    this.semaphore.settle();
  }

  /** Applies the changed weight of a permit. */
  reweigh(permit: DistributedPermit, weight: number): void {
    const { lease, local } = permit;
    this.#hold(weight - permit.weight);
    permit.weight = weight;
    local?.adjust(weight);
    if (lease === undefined || lease.state === 'over') return;
    lease.weight = weight;
    lease.resized = true;
    this.semaphore.parent.session.ask('resize', lease);
  }

  /** Whether the waiter has timed out or is gone; it has then been rejected or withdrawn. */
  #dropsIfLate(waiter: Waiter): boolean {
    const { clock, counters } = this.semaphore.parent;
    const now = (waiter.timeoutBucket?.owner.clock ?? clock).now();
    if (isLate(waiter, now)) this.semaphore.notifyRejected(waiter, 'timeout');
    else if (isGone(waiter)) counters.withdrawn(waiter);
    else return false;
    return true;
  }

  #hold(weight: number): void {
    this.inflight += weight;
    this.semaphore.parent.inflight += weight;
  }
}
