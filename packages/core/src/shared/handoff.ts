import { grantFrom, type Served } from '../limiter/grants.ts';
import type { Waiter } from '../limiter/waiter.ts';
import type { Lease } from './lease.ts';
import { mostAtHome } from './reserve.ts';
import type { SharedPool } from './shared-pool.ts';

/**
 * Permits that pass from hand to hand in this process before they go back to the store. Who has come first is next,
 * whichever lease comes free: the place that it leaves in the store's line goes to another who waits here.
 */
export class Handoff implements Served {
  ready = false;
  /** Given back, to pass to who waits here. */
  readonly #passing: Lease[] = [];

  constructor(private readonly pool: SharedPool) {}

  /** How many leases are asked for at once: as many as can be held; without hand-off, one for each who waits. */
  get mostSent(): number {
    return this.#isOn ? this.pool.view.limit : Infinity;
  }

  /** Whether a lease that was given back may go to who waits here. */
  mayPass(lease: Lease): boolean {
    const { home, waiters, holdings } = this.pool;
    if (lease.uses > home.settings.handoff) return false;
    if (waiters.first?.weight !== lease.weight) return false;
    return home.session.store.clock.now() - lease.since < mostAtHome && holdings.isUsable(lease);
  }

  pass(lease: Lease): void {
    this.#passing.push(lease);
    grantFrom(this);
  }

  serve(): void {
    // The array grows while it is walked.
    for (const lease of this.#passing) this.pool.admission.pass(lease);
    this.#passing.length = 0;
  }

  /** Who is to have a lease that is free: who waits for it, or with hand-off, who has come first. */
  next(lease: Lease): Waiter | undefined {
    const { first } = this.pool.waiters;
    const isFirst = this.#isOn && first?.weight === lease.weight;
    const own = isFirst ? (first.place as Lease) : lease;
    const stoodIn = own.standIn !== undefined;
    const waiter = this.pool.leave(own);
    if (own !== lease) this.#reuse(own, lease, stoodIn);
    return waiter;
  }

  get #isOn(): boolean {
    return this.pool.home.settings.handoff > 0;
  }

  /** A place in the line that nobody waits for any more: for who was to have the lease, or the first who has none. */
  #reuse(own: Lease, lease: Lease, stoodIn: boolean): void {
    const { waiters, home, holdings } = this.pool;
    const unsent = waiters.firstUnsent?.place as Lease | undefined;
    const from = lease.waiter === undefined ? unsent : lease;
    // The store is not asked for one that stood in line in this process instead: of no use to who may keep his own.
    const isUseful = from?.weight === own.weight && (from === lease || !stoodIn);
    if (from === undefined || !isUseful) return holdings.release(own);
    const heir = waiters.remove(from) as Waiter;
    own.isCounted = from.isCounted;
    if (from !== lease) home.session.forget(from);
    waiters.add(heir, own);
    this.pool.prolong(own);
    if (stoodIn) home.fallback.take(own, home.circuit.error);
  }
}
