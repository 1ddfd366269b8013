import { invalid } from '../errors.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { BasePermit, type Register } from '../limiter/permit.ts';
import type { StoreError } from '../limiter/store-error.ts';
import type { Waiter } from '../limiter/waiter.ts';
import type { Lease } from './lease.ts';
import type { SharedPool } from './shared-pool.ts';

/** A request on its way through a gate. */
type Passing = Waiter & { readonly at?: Limiter | undefined };

/** A place under a shared limit. */
export class SharedPermit extends BasePermit {
  /** Undefined where it was given without the store. */
  lease: Lease | undefined = undefined;
  /** What stands for it under the limit of this process alone, while the store is away. */
  local: BasePermit | undefined = undefined;
  /** Its place among the permits that have followed each other under the lease. */
  private use = 0;

  constructor(
    readonly pool: SharedPool,
    weight: number,
    waited: number,
  ) {
    super(weight, waited);
  }

  get key(): string | undefined {
    return this.pool.key;
  }

  protected get register(): Register {
    return this.pool.home.ledger;
  }

  override get fencing(): bigint | undefined {
    const { lease } = this;
    return lease?.fencing === undefined ? undefined : lease.fencing + BigInt(this.use);
  }

  /** It has this lease from now on. */
  hold(lease: Lease): void {
    this.lease = lease;
    this.use = lease.uses;
    lease.permit = this;
  }

  takesOf(limit: string): boolean {
    return this.pool.home.name === limit;
  }

  override pause(waiter: Waiter): void {
    this.extras().waiter = waiter;
  }

  override resume(): void {
    if (this.extra !== undefined) this.extra.waiter = undefined;
  }

  /** The store may have given its place to another. A request that only waits with it waits in vain. */
  lost(error: StoreError): void {
    this.abort(error);
    const waiter: Passing | undefined = this.extra?.waiter;
    waiter?.at?.reject(waiter, 'store', { limit: this.pool.home.name, error });
  }

  protected reweigh(weight: number): void {
    if (weight === this.weight) return;
    if (!this.pool.home.session.store.can.resize) {
      throw invalid('weight', `${this.weight}, as it was granted, beside this store`, weight);
    }
    this.pool.admission.reweigh(this, weight);
  }

  protected giveBack(): void {
    this.pool.admission.freed(this);
  }
}
