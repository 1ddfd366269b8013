import { InProcessLimiter } from '../limiter/local-limiter.ts';
import type { BasePermit } from '../limiter/permit.ts';
import type { Rejection } from '../limiter/rejection.ts';
import type { OutagePolicy } from '../limiter/source.ts';
import { isGone, Waiter } from '../limiter/waiter.ts';
import type { Lease } from './lease.ts';
import type { SharedPermit } from './shared-permit.ts';
import type { SharedPool } from './shared-pool.ts';
import type { SharedPools } from './shared-pools.ts';

/** Limits this process alone, while the store is away. */
export class Fallback {
  /** Counts what is held here. Also for `admit`: it is to be told to the store that is back. */
  #limiter: InProcessLimiter | undefined;
  /** Given without the store. */
  readonly #strays = new Set<SharedPermit>();

  constructor(
    private readonly home: SharedPools,
    readonly policy: OutagePolicy,
  ) {}

  /** Somebody comes; whether the answer is given or will be. */
  newcomer(pool: SharedPool, waiter: Waiter, timeout: number): void {
    if (this.policy === 'reject') return pool.rejectNewcomer(waiter, 'store');
    const limiter = this.#begun();
    const asked = { key: waiter.key, weight: waiter.weight, limit: waiter.limit };
    const permit = this.policy === 'admit' ? limiter.admitBeyond(asked) : limiter.tryAcquire(asked);
    if (permit !== undefined) return pool.admission.admit(waiter, undefined, permit);
    if (limiter.queued >= this.home.queueLimit || !waiter.joins()) {
      return pool.rejectNewcomer(waiter, 'full');
    }
    this.#wait(pool.await(waiter, timeout));
  }

  /** Somebody who waits for the store's word, or in its line. */
  take(lease: Lease): void {
    const { pool, caller } = lease;
    if (caller === undefined || lease.standIn !== undefined) return;
    if (this.policy === 'reject') pool.reject(caller, 'store');
    else if (this.policy === 'local') this.#wait(lease);
    else pool.admitInstead(lease, this.#begun().admitBeyond(caller));
  }

  /** Its time is up, and the store has not answered. */
  takeLate(lease: Lease): void {
    const { pool, caller } = lease;
    if (caller === undefined) return;
    const { key, weight, limit } = caller;
    const local = this.policy === 'local' && this.#begun().tryAcquire({ key, weight, limit });
    if (local) pool.admitInstead(lease, local);
    else if (this.policy === 'admit') this.take(lease);
    else pool.reject(caller, this.policy === 'local' ? 'timeout' : 'store');
  }

  withdraw({ standIn }: Lease): void {
    if (standIn !== undefined) this.#limiter?.withdraw(standIn);
  }

  /** Given without the store. */
  add(permit: SharedPermit): void {
    this.#strays.add(permit);
  }

  forget(permit: SharedPermit): void {
    this.#strays.delete(permit);
  }

  /** The store is away: what this process holds counts here, who waits goes on here, in order. */
  begin(): void {
    for (const pool of this.home.inUse()) {
      pool.holdings.returnIdle();
      if (this.policy !== 'reject') {
        const limiter = this.#begun();
        for (const permit of pool.holdings.permits) permit.local ??= limiter.admitBeyond(permit);
      }
      for (const lease of pool.callers.leases()) this.take(lease);
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

  #wait(lease: Lease): void {
    const standIn = new StandIn(lease);
    lease.standIn = standIn;
    this.#begun().request(standIn);
  }

  #begun(): InProcessLimiter {
    const { settings, limit } = this.home;
    this.#limiter ??= new InProcessLimiter({
      ...settings,
      limit,
      queueLimit: Infinity,
      queueTimeout: Infinity,
      maxHold: Infinity,
      observer: {},
    });
    return this.#limiter;
  }
}

/** Waits in this process for one whose lease the store does not give. */
class StandIn extends Waiter {
  constructor(private readonly lease: Lease) {
    super();
    const { caller } = lease;
    if (caller === undefined) return;
    this.key = caller.key;
    this.limit = caller.limit;
    this.weight = Math.min(caller.weight, caller.limit ?? lease.pool.standings.limit);
  }

  granted(permit: BasePermit): void {
    this.lease.pool.admitInstead(this.lease, permit);
  }

  rejected({ reason }: Rejection): void {
    if (this.lease.caller !== undefined) this.lease.pool.reject(this.lease.caller, reason);
  }

  override joins(): boolean {
    return this.lease.pool.queues(this.lease);
  }

  override gone(): boolean {
    return this.lease.caller === undefined || isGone(this.lease.caller);
  }
}
