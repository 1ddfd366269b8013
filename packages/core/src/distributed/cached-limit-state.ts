import type { Rejection, RejectionReason } from '../semaphore/rejection.ts';
import { RetryAfter } from '../semaphore/retry-after.ts';
import { type Waiter, waitedSince } from '../semaphore/waiter.ts';
import type { LimitRef, LimitState } from './contract.ts';
import type { DistributedSemaphore } from './distributed-semaphore.ts';

/** The state of a distributed limit, as the store last reported it to this process. */
export class CachedLimitState {
  /** When the next lease may expire, which no message announces. */
  checkAt = Infinity;
  #latest: LimitState | undefined;
  #ref: LimitRef;
  #retryAfter: RetryAfter | undefined;

  constructor(
    private readonly semaphore: DistributedSemaphore,
    /** The key's own limit, if keys differ. */
    private own: number | undefined,
  ) {
    this.#ref = this.#makeRef();
  }

  get limit(): number {
    return this.own ?? this.semaphore.parent.limit;
  }

  /** Weight held, over all processes. */
  get inflight(): number {
    return Math.max(this.semaphore.admission.inflight, this.#latest?.inflight ?? 0);
  }

  /** Number of waiters, over all processes. */
  get queued(): number {
    return this.#latest?.queued ?? 0;
  }

  get othersAreWaiting(): boolean {
    return this.queued > 0;
  }

  /** The limit as declared to the store: the same object until it changes. */
  get ref(): LimitRef {
    const { parent } = this.semaphore;
    const { limit, version } = this.#ref;
    if (limit !== this.limit || (this.own === undefined && version !== parent.version)) {
      this.#ref = this.#makeRef();
    }
    return this.#ref;
  }

  /** Changes the key's own limit. */
  declare(limit: number): void {
    this.own = limit;
  }

  learn(limitState: LimitState): void {
    const { parent } = this.semaphore;
    const { clock } = parent.session.store;
    this.#latest = limitState;
    this.checkAt = clock.now() + limitState.checkIn;
    parent.learn(limitState, this.own === undefined);
  }

  /** The store has recalled idle leases: other processes have waiters. */
  othersWait(): void {
    if (this.#latest !== undefined) this.#latest = { ...this.#latest, queued: 1 };
  }

  rejection(waiter: Waiter, reason: RejectionReason): Rejection {
    const { name, settings } = this.semaphore.parent;
    const { clock, maxRetryAfter, random } = settings;
    const now = clock.now();
    this.#retryAfter ??= new RetryAfter(maxRetryAfter, random);
    const retryAfter = this.#retryAfter.seconds(
      now,
      this.#weightAhead(waiter),
      this.semaphore.admission.returned,
    );
    const waited = waiter.arrival === 0 ? 0 : waitedSince(waiter.since, now);
    return { reason, limitName: name, queued: this.queued, waited, retryAfter };
  }

  /** This process's part of the weight ahead, assuming that all processes release at the same rate. */
  #weightAhead({ weight }: Waiter): number {
    const { inflight } = this;
    return inflight === 0
      ? 0
      : ((this.queued + weight) * this.semaphore.admission.inflight) / inflight;
  }

  #makeRef(): LimitRef {
    const { parent, key } = this.semaphore;
    const version = this.own === undefined ? parent.version : '';
    return { name: parent.name, key, limit: this.limit, version };
  }
}
