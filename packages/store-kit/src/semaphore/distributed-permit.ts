import { StoreError, type Waiter } from '@headgate/core';
import { BasePermit, type PermitHolder, type PermitRegistry } from '@headgate/core/engine';
import type { AssignedLease } from './assigned-lease.ts';
import type { DistributedSemaphoreGroup } from './distributed-semaphore-group.ts';

/** What a permit needs from its semaphore. */
export interface PermitSource {
  readonly key: string | undefined;
  readonly group: DistributedSemaphoreGroup;
  /** Applies a changed weight. */
  changeWeight(permit: DistributedPermit, weight: number): void;
  release(permit: DistributedPermit): void;
}

/** A permit of a distributed limit. Its release returns it, with its lease, to its semaphore. */
export class DistributedPermit extends BasePermit {
  /** Undefined if the permit was granted without the store. */
  lease: AssignedLease | undefined = undefined;
  /** Counts the permit against the local limit while the store is unavailable. */
  local: BasePermit | undefined = undefined;
  /** The waiter of its request, if the request was queued. Declared without a value, as in the base class. */
  declare waiter: Waiter | undefined;
  /** The position of this permit among the consecutive permits that use the lease. */
  private use = 0;

  constructor(
    private readonly semaphore: PermitSource,
    weight: number,
    waited: number,
  ) {
    super(weight, waited);
  }

  get key(): string | undefined {
    return this.semaphore.key;
  }

  protected get registry(): PermitRegistry {
    return this.semaphore.group.permits;
  }

  override get fencing(): bigint | undefined {
    const { lease } = this;
    return lease?.fencing === undefined ? undefined : lease.fencing + BigInt(this.use);
  }

  hold(lease: AssignedLease): void {
    this.lease = lease;
    this.use = lease.uses;
  }

  countsAgainst(limit: string): boolean {
    return this.semaphore.group.name === limit;
  }

  override holdFor(waiter: PermitHolder): void {
    this.extras().holder = waiter;
  }

  override startWork(): void {
    if (this.extra !== undefined) this.extra.holder = undefined;
  }

  /** The lease was lost: aborts the signal, and rejects the permit's request if it is still queued at a later limit. */
  lost(): void {
    const { name: limitName } = this.semaphore.group;
    const error = new StoreError('ERR_HEADGATE_LEASE_LOST', `a lease of "${limitName}" was lost`);
    this.abort(error);
    this.extra?.holder?.leaseLost({ limitName, error });
  }

  protected changeWeight(weight: number): void {
    if (!this.released && weight !== this.weight) this.semaphore.changeWeight(this, weight);
  }

  protected returnWeight(): void {
    this.semaphore.release(this);
  }
}
