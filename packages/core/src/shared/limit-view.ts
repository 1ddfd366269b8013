import type { Rejection, RejectionReason } from '../limiter/rejection.ts';
import { RetryAfter } from '../limiter/retry-after.ts';
import { type Waiter, waitedSince } from '../limiter/waiter.ts';
import type { SharedPool } from './shared-pool.ts';
import type { LimitRef, Standing } from './store.ts';

/** The state of a distributed limit, as the store last reported it to this process. */
export class LimitView {
  /** When the next lease may expire, which no message announces. */
  checkAt = Infinity;
  #latest: Standing | undefined;
  #ref: LimitRef;
  #retryAfter: RetryAfter | undefined;

  constructor(
    private readonly pool: SharedPool,
    /** The key's own limit, if keys differ. */
    private own: number | undefined,
  ) {
    this.#ref = this.#makeRef();
  }

  get limit(): number {
    return this.own ?? this.pool.home.limit;
  }

  /** Weight held, over all processes. */
  get inflight(): number {
    return Math.max(this.pool.admission.inflight, this.#latest?.inflight ?? 0);
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
    const { home } = this.pool;
    const { limit, version } = this.#ref;
    if (limit !== this.limit || (this.own === undefined && version !== home.version)) {
      this.#ref = this.#makeRef();
    }
    return this.#ref;
  }

  /** Changes the key's own limit. */
  declare(limit: number): void {
    this.own = limit;
  }

  learn(standing: Standing): void {
    const { home } = this.pool;
    const { clock } = home.session.store;
    this.#latest = standing;
    this.checkAt = clock.now() + standing.checkIn;
    home.learn(standing, this.own === undefined);
  }

  /** The store has recalled idle leases: other processes have waiters. */
  othersWait(): void {
    if (this.#latest !== undefined) this.#latest = { ...this.#latest, queued: 1 };
  }

  rejection(waiter: Waiter, reason: RejectionReason): Rejection {
    const { name, settings } = this.pool.home;
    const { clock, maxRetryAfter, random } = settings;
    const now = clock.now();
    this.#retryAfter ??= new RetryAfter(maxRetryAfter, random);
    const retryAfter = this.#retryAfter.seconds(
      now,
      this.#weightAhead(waiter),
      this.pool.admission.returned,
    );
    const waited = waiter.arrival === 0 ? 0 : waitedSince(waiter.since, now);
    return { reason, limit: name, queued: this.queued, waited, retryAfter };
  }

  /** This process's part of the weight ahead, assuming that all processes release at the same rate. */
  #weightAhead({ weight }: Waiter): number {
    const { inflight } = this;
    return inflight === 0 ? 0 : ((this.queued + weight) * this.pool.admission.inflight) / inflight;
  }

  #makeRef(): LimitRef {
    const { home, key } = this.pool;
    const version = this.own === undefined ? home.version : '';
    return { name: home.name, key, limit: this.limit, version };
  }
}
