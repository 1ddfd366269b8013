import { throwLater } from '../errors.ts';
import { isLate } from '../limiter/deadlines.ts';
import type { BasePermit } from '../limiter/permit.ts';
import { grant, isGone, type Waiter, waitedSince } from '../limiter/waiter.ts';
import { Lease } from './lease.ts';
import { SharedPermit } from './shared-permit.ts';
import type { SharedPool } from './shared-pool.ts';

/** Grants permits, with a lease or during an outage without one, and takes releases. */
export class Admission {
  /** Weight held. */
  inflight = 0;
  /** Total weight ever released, for `Retry-After`. */
  returned = 0;

  constructor(private readonly pool: SharedPool) {}

  /** Passes a free lease to the next waiter, or releases it to the store if there is none. */
  pass(lease: Lease): void {
    const { pool } = this;
    const { handoff, holdings } = pool;
    for (let waiter = handoff.next(lease); waiter !== undefined; waiter = handoff.next(lease)) {
      if (this.#dropsIfLate(waiter)) continue;
      this.admit(waiter, lease);
      return pool.settle();
    }
    holdings.release(lease);
    pool.settle();
  }

  /** Grants the waiter a permit. Without a lease, the permit counts against the limit of this process alone. */
  admit(waiter: Waiter, lease?: Lease, local?: BasePermit): void {
    const { pool } = this;
    const { clock, ledger, fallback } = pool.home;
    const waited = waiter.arrival === 0 ? 0 : waitedSince(waiter.since, clock.now());
    const permit = new SharedPermit(pool, waiter.weight, waited);
    permit.local = local;
    pool.keep();
    if (lease === undefined) fallback.add(permit);
    else {
      permit.hold(lease);
      fallback.count(permit);
    }
    this.#hold(waiter.weight);
    ledger.add(permit);
    try {
      grant(waiter, permit);
    } catch (error) {
      throwLater(error);
    }
  }

  /** Registers at the store a permit that was granted without it. */
  register(permit: SharedPermit): void {
    const { pool } = this;
    const { session } = pool.home;
    const lease = new Lease(pool, session.newId(), permit.weight);
    lease.state = 'asking';
    permit.hold(lease);
    pool.holdings.add(lease);
    session.ask('register', lease);
  }

  freed(permit: SharedPermit): void {
    const { lease, local, weight } = permit;
    this.#hold(-weight);
    this.returned += weight;
    local?.release();
    this.pool.home.fallback.forget(permit);
    if (lease !== undefined) {
      lease.permit = undefined;
      lease.uses++;
      this.pool.holdings.giveBack(lease);
    }
    this.pool.settle();
  }

  /** Applies the changed weight of a permit. */
  reweigh(permit: SharedPermit, weight: number): void {
    const { lease, local } = permit;
    this.#hold(weight - permit.weight);
    permit.weight = weight;
    local?.adjust(weight);
    if (lease === undefined || lease.state === 'over') return;
    lease.weight = weight;
    lease.resized = true;
    this.pool.home.session.ask('resize', lease);
  }

  /** Whether the waiter has timed out or is gone; it has then been rejected or withdrawn. */
  #dropsIfLate(waiter: Waiter): boolean {
    const { clock, tally } = this.pool.home;
    const now = (waiter.term?.owner.clock ?? clock).now();
    if (isLate(waiter, now)) this.pool.tell(waiter, 'timeout');
    else if (isGone(waiter)) tally.withdrawn(waiter);
    else return false;
    return true;
  }

  #hold(weight: number): void {
    this.inflight += weight;
    this.pool.home.inflight += weight;
  }
}
