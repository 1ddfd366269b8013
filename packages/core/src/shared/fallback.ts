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

/** Applies `onStoreError` while the store is unavailable. */
export class Fallback {
  /** Counts the permits held here; also with `admit`, to register them when the store is available again. */
  #limiter: InProcessLimiter | undefined;
  /** Permits that were granted without the store. */
  readonly #unregistered = new Set<SharedPermit>();
  /** When registering may be tried again, after the store has refused it. */
  #retryAt = -Infinity;

  constructor(
    private readonly home: SharedPools,
    readonly policy: OutagePolicy,
  ) {}

  /** Admits, queues or rejects a new request while the store is unavailable. */
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
    // `joins` may have run application code.
    const again = this.home.of(waiter.key, waiter.limit);
    if (this.home.closed) return again.rejectNewcomer(waiter, 'closed');
    this.#wait(again.startWaiting(waiter, timeout));
  }

  /** Takes over a waiter whose lease is requested or queued at the store. */
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

  /** Counts a permit with a lease here as well, while others are admitted without the store. */
  count(permit: SharedPermit): void {
    permit.local ??= this.#limiter?.admitBeyond(permit);
  }

  /** Adds a permit that was granted without the store. */
  add(permit: SharedPermit): void {
    this.#unregistered.add(permit);
  }

  forget(permit: SharedPermit): void {
    this.#unregistered.delete(permit);
  }

  /** Registering the permit has failed. */
  addAgain(permit: SharedPermit): void {
    const { clock, lease } = this.home.session.store;
    this.#unregistered.add(permit);
    this.#retryAt = clock.now() + lease * renewalPart;
  }

  /** The store answers: registers the permits that were granted without it, unless it has just refused that. */
  tellOf(pool: SharedPool): void {
    if (this.#unregistered.size === 0 || this.home.session.store.clock.now() < this.#retryAt)
      return;
    for (const permit of this.#unregistered) {
      if (permit.pool !== pool) continue;
      this.#unregistered.delete(permit);
      pool.admission.register(permit);
    }
  }

  /** The store has become unavailable: counts the held permits here, and takes over the waiters in order. */
  begin(): void {
    for (const pool of this.home.inUse()) {
      pool.holdings.returnIdle();
      if (this.policy !== 'reject') this.#begun();
      for (const lease of pool.waiters.leases()) this.take(lease, this.home.circuit.error);
    }
  }

  /** The store is available again: registers the permits granted without it, and resumes the waiters there. */
  end(): void {
    this.#limiter = undefined;
    for (const pool of this.home.inUse()) {
      for (const permit of pool.holdings.permits) permit.local = undefined;
    }
    for (const permit of this.#unregistered) {
      permit.local = undefined;
      permit.pool.admission.register(permit);
    }
    this.#unregistered.clear();
    for (const pool of this.home.inUse()) pool.resume();
  }

  /** The request to the local limiter; the limit may have been lowered since the waiter arrived. */
  #asked({ key, weight, limit }: Waiter, { view }: SharedPool): AcquireOptions {
    return { key, weight: Math.min(weight, view.limit), limit };
  }

  #wait(lease: Lease): void {
    const standIn = new LocalWaiter(lease);
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

/** Waits at the local limiter on behalf of a waiter whose lease the store cannot grant. */
class LocalWaiter extends Waiter {
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
