import { maxTimer } from '../../clock.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import { BasePermit, type Register } from '../../semaphore/permit.ts';
import type { StoreError } from '../../semaphore/rejection.ts';
import type { Waiter } from '../../semaphore/waiter.ts';
import { Lease } from '../lease/lease.ts';
import type { DistributedLimit } from './limit-state.ts';

/** A lease of a semaphore, with the waiter or the permit that it is for. */
export class AssignedLease extends Lease {
  /** The waiter that is to be granted the lease. */
  waiter: Waiter | undefined = undefined;
  /** The permit that uses the lease. */
  permit: DistributedPermit | undefined = undefined;
  /** Waits at the local limiter on behalf of `waiter` while the store is unavailable. */
  localWaiter: { leave(): void } | undefined = undefined;
  /** Whether the waiter is counted and reported as queued. */
  isCounted = false;
  /** Number of permits that have used the lease. */
  uses = 0;
  /** When the store granted the lease, or when it last became idle. */
  since = 0;

  get timeLeft(): number {
    const { waiter, owner } = this;
    const bucket = waiter?.timeoutBucket;
    if (waiter === undefined || bucket === undefined || owner.terms.queueLimit === 0) return 0;
    if (waiter.deadline === 0) return maxTimer;
    const left = Math.ceil(waiter.deadline - bucket.owner.clock.now());
    return Math.min(Math.max(left, 0), maxTimer);
  }
}

/** Counts permits: those of one semaphore that this process holds. */
export interface PermitOwner {
  readonly key: string | undefined;
  readonly limit: DistributedLimit;
  /** Applies a changed weight. */
  reweigh(permit: DistributedPermit, weight: number): void;
  release(permit: DistributedPermit): void;
}

/** A request of a gate, with the limit that it is queued at. */
type GateRequest = Waiter & { readonly limiter?: Limiter | undefined };

/** A permit of a distributed limit. Its release returns it, with its lease, to its semaphore. */
export class DistributedPermit extends BasePermit {
  /** Undefined if the permit was granted without the store. */
  lease: AssignedLease | undefined = undefined;
  /** Counts the permit against the local limit while the store is unavailable. */
  local: BasePermit | undefined = undefined;
  /** The permit's number among the consecutive permits under one lease. */
  private use = 0;

  constructor(
    private readonly owner: PermitOwner,
    weight: number,
    waited: number,
  ) {
    super(weight, waited);
  }

  get key(): string | undefined {
    return this.owner.key;
  }

  protected get register(): Register {
    return this.owner.limit.permits;
  }

  override get fencing(): bigint | undefined {
    const { lease } = this;
    return lease?.fencing === undefined ? undefined : lease.fencing + BigInt(this.use);
  }

  /** Assigns the lease to the permit. */
  hold(lease: AssignedLease): void {
    this.lease = lease;
    this.use = lease.uses;
    lease.permit = this;
  }

  countsAgainst(limit: string): boolean {
    return this.owner.limit.name === limit;
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
    waiter?.limiter?.reject(waiter, 'store', { limitName: this.owner.limit.name, error });
  }

  protected reweigh(weight: number): void {
    if (weight !== this.weight) this.owner.reweigh(this, weight);
  }

  protected returnWeight(): void {
    this.owner.release(this);
  }
}
