import type { Rejection, RejectionReason } from '../../semaphore/rejection.ts';
import { RetryAfter } from '../../semaphore/retry-after.ts';
import { type KeyedSemaphore, SemaphoreGroup } from '../../semaphore/semaphore-group.ts';
import { type Waiter, waitedSince } from '../../semaphore/waiter.ts';
import { warnOnce } from '../../warning.ts';
import type { LimitRef, LimitState } from '../contract.ts';
import type { LeaseTerms } from '../lease/lease.ts';
import type { DistributedSettings } from '../settings.ts';

/** Maximum number of consecutive permits under one lease that is kept in reserve: one round trip for all of them. */
const MAX_RESERVE_USES = 100;

/** What the semaphores of a distributed limiter have in common: the limit that applies, and this process's totals. */
export abstract class DistributedLimit<
  Semaphore extends KeyedSemaphore = KeyedSemaphore,
> extends SemaphoreGroup<Semaphore> {
  declare readonly settings: DistributedSettings;
  /** The limit that this process has declared; another process may have declared the one that applies. */
  declared: number;
  /** The store's time of the declaration that applies; empty if it has not been declared yet. */
  version = '';
  /** Expired leases, of any process, that were removed. */
  reclaimed = 0;
  /** Permits of this process that have lost their lease. */
  lost = 0;
  /** When registering permits may be tried again, after the store has refused it. */
  registerAt = -Infinity;
  readonly terms: LeaseTerms;
  #hasWarned = false;
  /** The highest version received. */
  #latest = -Infinity;

  constructor(settings: DistributedSettings) {
    super(settings);
    const { limit, queueLimit, handoff, reserve } = settings;
    this.declared = limit;
    const spare = Math.max(handoff, reserve > 0 ? MAX_RESERVE_USES - 1 : 0);
    this.terms = { queueLimit, spare, reserves: reserve > 0 };
  }

  get name(): string {
    return this.settings.name;
  }

  /** The semaphore of a key; a new one is stored only once it is used. */
  abstract of(key: string | undefined, limit: number | undefined): Semaphore;

  /** Applies the limit state of an answer. `adopts`: whether to adopt its limit, because it is that of all keys. */
  learn(limitState: LimitState, adopts: boolean): void {
    const { name, observer } = this.settings;
    const { reclaimed } = limitState;
    if (adopts) this.#adopt(limitState);
    if (reclaimed === 0) return;
    this.reclaimed += reclaimed;
    observer.reclaimed?.({ name, count: reclaimed });
  }

  /** The store has dropped a lease that this process had not released. */
  leaseLost(weight: number): void {
    const { name, observer } = this.settings;
    this.lost++;
    observer.lost?.({ name, weight });
  }

  /** Adopts the limit that applies at the store, unless the answer is older than the latest known declaration. */
  #adopt({ limit, version }: LimitState): void {
    if (version === this.version) return;
    const isConfirmed = this.version === '' && limit === this.limit;
    if (!isConfirmed && Number(version) <= this.#latest) return;
    this.version = version;
    this.#latest = Number(version);
    if (limit === this.limit) return;
    this.resize(limit);
    const { name, observer } = this.settings;
    const { declared } = this;
    if (limit === declared || this.#hasWarned) return;
    this.#hasWarned = true;
    if (observer.conflict !== undefined) return observer.conflict({ name, declared, limit });
    warnOnce(
      'HEADGATE_LIMIT_CONFLICT',
      `limit "${name}" is ${declared} here, but ${limit} was declared later by another process, and applies`,
    );
  }
}

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
    private readonly whole: DistributedLimit,
    readonly key: string | undefined,
    /** The key's own limit, if keys differ. */
    private own: number | undefined,
  ) {
    this.declaration = this.#makeRef();
  }

  get limit(): number {
    return this.own ?? this.whole.limit;
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
    const { limit, version } = this.declaration;
    const isOld = this.own === undefined && version !== this.whole.version;
    if (limit !== this.limit || isOld) this.declaration = this.#makeRef();
    return this.declaration;
  }

  /** Changes the key's own limit. */
  declare(limit: number): void {
    this.own = limit;
  }

  learn(limitState: LimitState, now: number): void {
    this.latest = limitState;
    this.checkAt = now + limitState.checkIn;
    this.whole.learn(limitState, this.own === undefined);
  }

  /** The store has recalled idle leases: other processes have waiters. */
  othersWait(): void {
    if (this.latest !== undefined) this.latest = { ...this.latest, queued: 1 };
  }

  /** Counts weight as held or, if negative, as released. */
  hold(weight: number): void {
    this.held += weight;
    this.whole.inflight += weight;
  }

  rejection(waiter: Waiter, reason: RejectionReason): Rejection {
    const { name, clock, maxRetryAfter, random } = this.whole.settings;
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
    const { whole, key, limit } = this;
    return { name: whole.name, key, limit, version: this.own === undefined ? whole.version : '' };
  }
}
