import { StoreError } from '../limiter/store-error.ts';
import type { Lease } from './lease.ts';
import { Reserve } from './reserve.ts';
import type { SharedPermit } from './shared-permit.ts';
import type { SharedPool } from './shared-pool.ts';

/** The leases that this process holds under a shared limit: where they go when a permit is given back. */
export class Holdings {
  readonly #leases = new Set<Lease>();
  readonly #reserve: Reserve;

  constructor(private readonly pool: SharedPool) {
    this.#reserve = new Reserve(pool.home.session.store, (lease) => {
      this.release(lease);
      this.pool.settle();
    });
  }

  get size(): number {
    return this.#leases.size;
  }

  /** The permits that are out with a lease. */
  get permits(): SharedPermit[] {
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
    this.pool.home.session.release(lease);
  }

  /** The store is back: it is asked whether they hold still. */
  renew(): void {
    for (const lease of [...this.#leases]) {
      if (lease.state !== 'held') continue;
      if (this.isCertain(lease)) this.pool.home.session.ask('renew', lease);
      else this.lost(lease);
    }
  }

  /** The store has given its place to another, or may have. */
  lost(lease: Lease): void {
    const { name } = this.pool.home;
    const { permit } = lease;
    this.#reserve.remove(lease);
    // Its release finds nothing, which is no news.
    lease.state = 'over';
    this.release(lease);
    if (permit === undefined) return this.pool.settle();
    this.pool.home.leaseLost(permit.weight);
    permit.lost(new StoreError('ERR_HEADGATE_LEASE_LOST', `a lease of "${name}" was lost`));
  }

  /** One that lies idle, for who comes while nobody waits. */
  takeIdle(weight: number): Lease | undefined {
    if (this.#reserve.size === 0 || this.pool.waiters.length > 0) return undefined;
    const lease = this.#reserve.take(weight);
    if (lease === undefined || this.isCertain(lease)) return lease;
    this.release(lease);
    return undefined;
  }

  returnIdle(): void {
    this.#reserve.empty();
  }

  /** Its permit was given back: to who waits here, or kept for who comes, or back to the store. */
  giveBack(lease: Lease): void {
    const { handoff } = this.pool;
    if (handoff.mayPass(lease)) handoff.pass(lease);
    else if (this.#mayKeep(lease)) this.#reserve.keep(lease);
    else this.release(lease);
  }

  /** Whether the store is sure to hold it still. */
  isCertain(lease: Lease): boolean {
    const { session } = this.pool.home;
    return session.store.clock.now() < session.endOf(lease);
  }

  /** Whether the next may have it with no word from the store. */
  isUsable(lease: Lease): boolean {
    const { closed, circuit } = this.pool.home;
    const isUp = !closed && circuit.error === undefined;
    return isUp && lease.state === 'held' && this.isCertain(lease);
  }

  #mayKeep(lease: Lease): boolean {
    const { settings, spare } = this.pool.home;
    if (this.#reserve.size >= settings.reserve || lease.uses > spare) return false;
    const { waiters, view } = this.pool;
    return waiters.length === 0 && !view.othersAreWaiting && this.isUsable(lease);
  }
}
