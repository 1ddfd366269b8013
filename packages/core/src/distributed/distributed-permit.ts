import { invalid } from '../errors.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { BasePermit, type Register } from '../semaphore/permit.ts';
import type { StoreError } from '../semaphore/rejection.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { DistributedSemaphore } from './distributed-semaphore.ts';
import type { Lease } from './lease.ts';

/** A request of a gate, with the limit that it is queued at. */
type GateRequest = Waiter & { readonly at?: Limiter | undefined };

/** A permit of a distributed limit. */
export class DistributedPermit extends BasePermit {
  /** Undefined if the permit was granted without the store. */
  lease: Lease | undefined = undefined;
  /** Counts the permit against the local limit while the store is unavailable. */
  local: BasePermit | undefined = undefined;
  /** The permit's number among the consecutive permits under one lease. */
  private use = 0;

  constructor(
    readonly semaphore: DistributedSemaphore,
    weight: number,
    waited: number,
  ) {
    super(weight, waited);
  }

  get key(): string | undefined {
    return this.semaphore.key;
  }

  protected get register(): Register {
    return this.semaphore.parent.permits;
  }

  override get fencing(): bigint | undefined {
    const { lease } = this;
    return lease?.fencing === undefined ? undefined : lease.fencing + BigInt(this.use);
  }

  /** Assigns the lease to the permit. */
  hold(lease: Lease): void {
    this.lease = lease;
    this.use = lease.uses;
    lease.permit = this;
  }

  countsAgainst(limit: string): boolean {
    return this.semaphore.parent.name === limit;
  }

  override pause(waiter: Waiter): void {
    this.extras().waiter = waiter;
  }

  override resume(): void {
    if (this.extra !== undefined) this.extra.waiter = undefined;
  }

  /** The lease was lost: aborts the signal, and rejects the permit's request if it is still queued at a later limit. */
  lost(error: StoreError): void {
    this.abort(error);
    const waiter = this.extra?.waiter as GateRequest | undefined;
    waiter?.at?.reject(waiter, 'store', { limitName: this.semaphore.parent.name, error });
  }

  protected reweigh(weight: number): void {
    if (weight === this.weight) return;
    if (!this.semaphore.parent.session.store.can.resize) {
      throw invalid(
        'weight',
        `${this.weight}, as granted, since this store cannot resize leases`,
        weight,
      );
    }
    this.semaphore.admission.reweigh(this, weight);
  }

  protected returnWeight(): void {
    this.semaphore.admission.freed(this);
  }
}
