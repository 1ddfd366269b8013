import type { AcquireOptions } from '../limiter/limiter.ts';
import { InProcessLimiter } from '../limiter/local-limiter.ts';
import type { BasePermit } from '../limiter/permit.ts';
import type { Rejection } from '../limiter/rejection.ts';
import type { OutagePolicy } from '../limiter/source.ts';
import type { StoreError } from '../limiter/store-error.ts';
import { isGone, Waiter } from '../limiter/waiter.ts';
import type { Lease } from './lease.ts';
import { renewalPart } from './lease-parts.ts';
import type { SharedPermit } from './shared-permit.ts';
import type { SharedPool } from './shared-pool.ts';
import type { SharedPools } from './shared-pools.ts';

/** Limits this process alone, while the store is away. */
export class Fallback {
  /** Counts what is held here. Also for `admit`: it is to be told to the store that is back. */
  #limiter: InProcessLimiter | undefined;
  /** Given without the store. */
  readonly #strays = new Set<SharedPermit>();
  /** A store that refuses to hear of them is not asked with every answer that it gives to others. */
  #silentUntil = -Infinity;

  constructor(
    private readonly home: SharedPools,
    readonly policy: OutagePolicy,
  ) {}

  /** Somebody comes while the store is away: is let in, waits here, or is turned away. */
  newcomer(pool: SharedPool, waiter: Waiter, timeout: number): void {
    const { name, circuit } = this.home;
    this.home.affected(circuit.error);
    if (this.policy === 'reject') {
      return pool.rejectNewcomer(waiter, 'store', { limit: name, error: circuit.error });
    }
    const limiter = this.#begun();
    const asked = this.#asked(waiter, pool);
    const permit = this.policy === 'admit' ? limiter.admitBeyond(asked) : limiter.tryAcquire(asked);
    if (permit !== undefined) return pool.admission.admit(waiter, undefined, permit);
    if (limiter.queued >= this.home.queueLimit || !waiter.joins()) {
      return pool.rejectNewcomer(waiter, 'full');
    }
    // Asking may have run the app's own code.
    const again = this.home.of(waiter.key, waiter.limit);
    if (this.home.closed) return again.rejectNewcomer(waiter, 'closed');
    this.#wait(again.startWaiting(waiter, timeout));
  }

  /** Somebody who waits for the store's word, or in its line. */
  take(lease: Lease, error: StoreError | undefined): void {
    const { pool, waiter } = lease;
    if (waiter === undefined || lease.standIn !== undefined) return;
    this.home.affected(error);
    if (this.policy === 'reject') pool.rejectFor(waiter, error);
    else if (this.policy === 'local') this.#wait(lease);
    else pool.admitInstead(lease, this.#begun().admitBeyond(this.#asked(waiter, pool)));
  }

  setLimit(limit: number): void {
    this.#limiter?.setLimit(limit);
  }

  withdraw({ standIn }: Lease): void {
    if (standIn !== undefined) this.#limiter?.withdraw(standIn);
  }

  /** One with a lease: it counts here as well, where others are let in without the store. */
  count(permit: SharedPermit): void {
    permit.local ??= this.#limiter?.admitBeyond(permit);
  }

  /** Given without the store. */
  add(permit: SharedPermit): void {
    this.#strays.add(permit);
  }

  forget(permit: SharedPermit): void {
    this.#strays.delete(permit);
  }

  /** The store was told of it in vain. */
  addAgain(permit: SharedPermit): void {
    const { clock, lease } = this.home.session.store;
    this.#strays.add(permit);
    this.#silentUntil = clock.now() + lease * renewalPart;
  }

  /** The store answers, though it may have refused before: it is told of those who were let in without it. */
  tellOf(pool: SharedPool): void {
    if (this.#strays.size === 0 || this.home.session.store.clock.now() < this.#silentUntil) return;
    for (const permit of this.#strays) {
      if (permit.pool !== pool) continue;
      this.#strays.delete(permit);
      pool.admission.register(permit);
    }
  }

  /** The store is away: what this process holds counts here, who waits goes on here, in order. */
  begin(): void {
    for (const pool of this.home.inUse()) {
      pool.holdings.returnIdle();
      if (this.policy !== 'reject') this.#begun();
      for (const lease of pool.waiters.leases()) this.take(lease, this.home.circuit.error);
    }
  }

  /** The store is back: it is told what was let in without it, and who waits goes on there. */
  end(): void {
    this.#limiter = undefined;
    for (const pool of this.home.inUse()) {
      for (const permit of pool.holdings.permits) permit.local = undefined;
    }
    for (const permit of this.#strays) {
      permit.local = undefined;
      permit.pool.admission.register(permit);
    }
    this.#strays.clear();
    for (const pool of this.home.inUse()) pool.resume();
  }

  /** What it asks of this process alone; the limit may have been lowered since it came. */
  #asked({ key, weight, limit }: Waiter, { view }: SharedPool): AcquireOptions {
    return { key, weight: Math.min(weight, view.limit), limit };
  }

  #wait(lease: Lease): void {
    const standIn = new StandIn(lease);
    lease.standIn = standIn;
    this.#begun().request(standIn);
  }

  #begun(): InProcessLimiter {
    if (this.#limiter !== undefined) return this.#limiter;
    const { settings, limit } = this.home;
    this.#limiter = new InProcessLimiter({
      ...settings,
      limit,
      queueLimit: Infinity,
      queueTimeout: Infinity,
      maxHold: Infinity,
      observer: {},
    });
    for (const pool of this.home.inUse()) {
      for (const permit of pool.holdings.permits) this.count(permit);
    }
    return this.#limiter;
  }
}

/** Waits in this process for one whose lease the store does not give. */
class StandIn extends Waiter {
  constructor(private readonly lease: Lease) {
    super();
    const { waiter } = lease;
    if (waiter === undefined) return;
    this.key = waiter.key;
    this.limit = waiter.limit;
    this.weight = Math.min(waiter.weight, waiter.limit ?? lease.pool.view.limit);
  }

  granted(permit: BasePermit): void {
    this.lease.pool.admitInstead(this.lease, permit);
  }

  rejected({ reason }: Rejection): void {
    if (this.lease.waiter !== undefined) this.lease.pool.reject(this.lease.waiter, reason);
  }

  override joins(): boolean {
    return this.lease.pool.startQueueing(this.lease);
  }

  override gone(): boolean {
    return this.lease.waiter === undefined || isGone(this.lease.waiter);
  }
}
