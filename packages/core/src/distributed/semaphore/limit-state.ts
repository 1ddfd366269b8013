import type { Rejection, RejectionReason } from '../../semaphore/rejection.ts';
import { RetryAfter } from '../../semaphore/retry-after.ts';
import { type Waiter, waitedSince } from '../../semaphore/waiter.ts';
import type { LimitRef, LimitState } from '../contract.ts';
import type { DistributedSemaphoreGroup } from './distributed-semaphore-group.ts';

/** The state of one semaphore's limit: what the store last reported to this process, and what the process holds. */
export class CachedLimitState {
  /** Weight held by this process. */
  held = 0;
  /** Total weight ever released, for `Retry-After`. */
  returned = 0;
  /** When the next lease may expire, which no message announces. */
  checkAt = Infinity;
  private latest: LimitState | undefined = undefined;
  private declaration: LimitRef;
  private retryAfter: RetryAfter | undefined = undefined;

  constructor(
    private readonly group: DistributedSemaphoreGroup,
    readonly key: string | undefined,
    /** The key's own limit, if keys differ. */
    private own: number | undefined,
  ) {
    this.declaration = this.#makeRef();
  }

  get limit(): number {
    return this.own ?? this.group.limit;
  }

  /** Weight held, over all processes. */
  get inflight(): number {
    return Math.max(this.held, this.latest?.inflight ?? 0);
  }

  /** Number of waiters, over all processes. */
  get queued(): number {
    return this.latest?.queued ?? 0;
  }

  /** The limit as declared to the store: the same object until it changes. */
  get ref(): LimitRef {
    const { limit, version, operated } = this.declaration;
    const isOld = this.own === undefined && version !== this.group.version;
    const isOutdated = limit !== this.limit || isOld || operated !== this.group.operated.latest;
    if (isOutdated) this.declaration = this.#makeRef();
    return this.declaration;
  }

  /** Changes the key's own limit; with undefined, the common one applies. */
  declare(limit: number | undefined): void {
    this.own = limit;
  }

  learn(limitState: LimitState, now: number): void {
    this.latest = limitState;
    this.checkAt = now + limitState.checkIn;
    this.group.learn(limitState, this.own === undefined);
  }

  /**
   * Whether this process may grant from the leases that it has, without the store. Not beyond the limit, nor in shadow
   * mode, where the store knows by how much each request exceeds it.
   */
  get grantsFromLeases(): boolean {
    const { grants, isShadow } = this.group;
    return grants && !isShadow && this.inflight <= this.limit;
  }

  /** In shadow mode, the weight by which a lease that was granted with this answer exceeds the limit. */
  excess(granted: LimitState | undefined): number {
    return granted !== undefined && this.group.isShadow ? granted.inflight - this.limit : 0;
  }

  /** The store has recalled idle leases: other processes have waiters. */
  othersWait(): void {
    const { latest } = this;
    if (latest !== undefined) this.latest = { ...latest, queued: Math.max(1, latest.queued) };
  }

  changeHeld(change: number): void {
    this.held += change;
    this.group.inflight += change;
  }

  rejection(waiter: Waiter, reason: RejectionReason): Rejection {
    const { name, clock, maxRetryAfter, random } = this.group.settings;
    const now = clock.now();
    this.retryAfter ??= new RetryAfter(maxRetryAfter, random);
    const retryAfter = this.retryAfter.seconds(now, this.#weightAhead(waiter), this.returned);
    const waited = waiter.arrival === 0 ? 0 : waitedSince(waiter.since, now);
    return { reason, limitName: name, queued: this.queued, waited, retryAfter };
  }

  /** This process's part of the weight ahead, assuming that all processes release at the same rate. */
  #weightAhead({ weight }: Waiter): number {
    const { inflight, held, queued } = this;
    return inflight === 0 ? 0 : ((queued + weight) * held) / inflight;
  }

  #makeRef(): LimitRef {
    const { group, key, limit } = this;
    const version = this.own === undefined ? group.version : '';
    return { name: group.name, key, limit, version, operated: group.operated.latest };
  }
}
