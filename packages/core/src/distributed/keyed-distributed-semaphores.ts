import type { Clock } from '../clock.ts';
import { maxTimer } from '../clock.ts';
import type { DistributedStats } from '../limiter/limiter.ts';
import { Deadlines } from '../semaphore/deadlines.ts';
import { Counters } from '../semaphore/observer.ts';
import { PermitTracker } from '../semaphore/permit-tracker.ts';
import type { StoreError } from '../semaphore/rejection.ts';
import { checkKey } from '../semaphore/request.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { warnOnce } from '../warning.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { DistributedSemaphore } from './distributed-semaphore.ts';
import { Fallback } from './fallback.ts';
import { Lease } from './lease.ts';
import type { Member, Session } from './session.ts';
import type { DistributedSettings } from './settings.ts';
import type { LimitName, LimitState } from './store.ts';

/** Maximum number of consecutive permits under one lease that is kept in reserve: one round trip for so many. */
const MAX_RESERVE_USES = 100;

/**
 * The semaphores of a distributed limiter and their common state: a single one, or one for each key in use here. An
 * idle key occupies no memory.
 */
export class KeyedDistributedSemaphores implements Member {
  readonly name: string;
  /** The limit that applies; another process may have declared it. */
  limit: number;
  /** The limit that this process has declared. */
  declared: number;
  /** The store's time of that declaration; empty if it has not been declared yet. */
  version = '';
  inflight = 0;
  /** Number of queued waiters of this process. */
  queued = 0;
  closed = false;
  /** Expired leases, of any process, that were removed. */
  reclaimed = 0;
  /** Permits of this process that have lost their lease. */
  lost = 0;
  readonly queueLimit: number;
  /** Number of additional fencing tokens that a lease needs. */
  readonly spare: number;
  readonly permits: PermitTracker;
  readonly counters: Counters;
  readonly deadlines: Deadlines;
  readonly circuitBreaker: CircuitBreaker;
  readonly fallback: Fallback;
  #hasWarned = false;
  /** Whether the store has refused the latest call. */
  #isRefused = false;
  /** The highest version received. */
  #latest = -Infinity;
  #probed: LimitName;
  readonly #only: DistributedSemaphore | undefined;
  readonly #byKey = new Map<string, DistributedSemaphore>();

  constructor(
    readonly settings: DistributedSettings,
    readonly session: Session,
  ) {
    const { name, limit, queueLimit, clock, handoff, reserve } = settings;
    const { store } = session;
    this.name = name;
    this.limit = limit;
    this.declared = limit;
    this.queueLimit = queueLimit;
    this.spare = Math.max(handoff, reserve > 0 ? MAX_RESERVE_USES - 1 : 0);
    this.#probed = { name };
    this.permits = new PermitTracker(settings);
    this.counters = new Counters(settings);
    this.deadlines = new Deadlines(clock, (late) => this.late(late));
    this.circuitBreaker = new CircuitBreaker(
      store.clock,
      store.timeout,
      async () => store.stats(this.#probed),
      () => this.#turned(),
    );
    this.fallback = new Fallback(this, settings.onStoreError);
    if (!settings.perKey) this.#only = new DistributedSemaphore(this, undefined, undefined);
    session.join(this);
  }

  get clock(): Clock {
    return this.settings.clock;
  }

  /** Whether leases may be kept idle for a while. */
  get reserves(): boolean {
    return this.settings.reserve > 0;
  }

  /** The semaphore of a key; a new one is stored only once it is used. */
  of(key: string | undefined, limit: number | undefined): DistributedSemaphore {
    checkKey(this.settings, key, limit);
    const semaphore = this.find(key);
    if (semaphore === undefined) return new DistributedSemaphore(this, key, limit);
    if (limit !== undefined) semaphore.limitState.declare(limit);
    return semaphore;
  }

  find(key: string | undefined): DistributedSemaphore | undefined {
    return this.#only ?? this.#byKey.get(key as string);
  }

  keep(semaphore: DistributedSemaphore, key: string): void {
    this.#byKey.set(key, semaphore);
  }

  forget(semaphore: DistributedSemaphore, key: string): void {
    if (this.#byKey.get(key) === semaphore) this.#byKey.delete(key);
  }

  get keys(): number {
    return this.#byKey.size;
  }

  /** A copy, since changing one semaphore may evict another. */
  inUse(): DistributedSemaphore[] {
    return this.#only === undefined ? [...this.#byKey.values()] : [this.#only];
  }

  /** Milliseconds that the waiter may still be queued; 0 if it may not queue. */
  timeLeft({ timeoutBucket: bucket, deadline }: Waiter): number {
    if (bucket === undefined || this.queueLimit === 0) return 0;
    const left = deadline === 0 ? maxTimer : Math.ceil(deadline - bucket.owner.clock.now());
    return Math.min(Math.max(left, 0), maxTimer);
  }

  /** Applies the limit state of an answer; `adopts` if it concerns the limit of all keys. */
  learn(limitState: LimitState, adopts: boolean): void {
    const { name, observer } = this.settings;
    const { reclaimed } = limitState;
    if (adopts) this.#adopt(limitState);
    if (reclaimed === 0) return;
    this.reclaimed += reclaimed;
    observer.reclaimed?.({ name, count: reclaimed });
  }

  /** Adopts the limit that applies at the store, unless the answer is older than the latest known declaration. */
  #adopt({ limit, version }: LimitState): void {
    if (version === this.version) return;
    const isConfirmed = this.version === '' && limit === this.limit;
    if (!isConfirmed && Number(version) <= this.#latest) return;
    this.version = version;
    this.#latest = Number(version);
    if (limit === this.limit) return;
    this.limit = limit;
    this.fallback.setLimit(limit);
    const { name, observer } = this.settings;
    observer.resized?.({ name, limit });
    const { declared } = this;
    if (limit === declared || this.#hasWarned) return;
    this.#hasWarned = true;
    if (observer.conflict !== undefined) return observer.conflict({ name, declared, limit });
    warnOnce(
      'HEADGATE_LIMIT_CONFLICT',
      `limit "${name}" is ${declared} here, but ${limit} was declared later by another process, and applies`,
    );
  }

  /** The app has declared another limit. */
  declare(limit: number): void {
    const { name, observer } = this.settings;
    this.limit = limit;
    this.declared = limit;
    this.version = '';
    this.fallback.setLimit(limit);
    observer.resized?.({ name, limit });
  }

  /** A waiter's deadline has passed. A timeout even if the store has not answered: `onStoreError` is for outages. */
  late(waiter: Waiter): void {
    const { queuedAt: place } = waiter;
    if (place instanceof Lease) place.semaphore.reject(waiter, 'timeout');
  }

  failed(key: string | undefined, error: StoreError): void {
    this.#probed = { name: this.name, key };
    this.circuitBreaker.failed(error);
    if (this.circuitBreaker.error === undefined) this.#report(true, error);
  }

  /** Warns once a caller is affected by an outage or a refusal, so that a failure at process exit causes no warning. */
  affected(error: StoreError | undefined): void {
    const { name, observer, onStoreError } = this.settings;
    if (error === undefined || observer.store !== undefined) return;
    if (this.circuitBreaker.error === undefined) this.#isRefused = true;
    this.session.warnings.failed(name, onStoreError, error);
  }

  /** The store has answered a call without refusing it. */
  worked(): void {
    if (!this.#isRefused) return;
    this.#isRefused = false;
    this.session.warnings.worked(this.name);
  }

  /** The store has dropped a lease that this process had not released. */
  leaseLost(weight: number): void {
    const { name, observer } = this.settings;
    this.lost++;
    observer.lost?.({ name, weight });
  }

  doubted(): void {
    void this.circuitBreaker.doubt();
  }

  slowed(reason: string | undefined): void {
    const { name, observer } = this.settings;
    observer.slowed?.({ name, reason });
  }

  muted(error: StoreError | undefined): void {
    const { name, settings, session } = this;
    if (this.circuitBreaker.error !== undefined) return;
    if (settings.observer.store !== undefined) settings.observer.store({ name, up: true, error });
    else if (error === undefined) session.warnings.returned(name);
    else session.warnings.muted(name, error);
  }

  notify(): void {
    for (const semaphore of this.inUse()) this.fallback.tellOf(semaphore);
  }

  stats(): DistributedStats {
    const { reclaimed, lost, declared } = this;
    const { inflight, queued } = this.#only?.limitState ?? {
      inflight: undefined,
      queued: undefined,
    };
    return {
      up: this.circuitBreaker.error === undefined,
      declared,
      inflight,
      queued,
      reclaimed,
      lost,
    };
  }

  #report(up: boolean, error: StoreError | undefined): void {
    const { name, observer } = this.settings;
    observer.store?.({ name, up, error });
    if (error === undefined) this.session.warnings.returned(name);
  }

  #turned(): void {
    const { error } = this.circuitBreaker;
    this.#report(error === undefined, error);
    if (error === undefined) this.session.releases.sendAgain();
    if (this.closed) return;
    if (error === undefined) this.fallback.end();
    else this.fallback.begin();
  }
}
