import type { Clock } from '../clock.ts';
import { longestTimer } from '../clock.ts';
import { Deadlines } from '../limiter/deadlines.ts';
import { Ledger } from '../limiter/ledger.ts';
import type { SharedStats } from '../limiter/limiter.ts';
import { checkKey } from '../limiter/request.ts';
import type { StoreError } from '../limiter/store-error.ts';
import { Tally } from '../limiter/tally.ts';
import type { Waiter } from '../limiter/waiter.ts';
import { warnOnce } from '../warning.ts';
import { Circuit } from './circuit.ts';
import { Fallback } from './fallback.ts';
import { Lease } from './lease.ts';
import type { Member, Session } from './session.ts';
import type { SharedSettings } from './settings.ts';
import { SharedPool } from './shared-pool.ts';
import type { LimitName, Standing } from './store.ts';

/** How many permits may follow each other under one lease that is kept in reserve: one round trip for so many. */
const usesInReserve = 100;

/**
 * A shared limiter's pools, and what they have in common: a single pool, or one for each key in use here. An idle key
 * leaves nothing behind.
 */
export class SharedPools implements Member {
  readonly name: string;
  /** What applies; another process may have declared it. */
  limit: number;
  /** What this process has declared. */
  declared: number;
  /** When that was declared; empty where it is still to be. */
  version = '';
  inflight = 0;
  /** How many of this process wait in line. */
  queued = 0;
  closed = false;
  /** Leases that were found expired, of whatever process. */
  reclaimed = 0;
  /** Permits of this process whose lease was lost. */
  lost = 0;
  readonly queueLimit: number;
  /** How many more tokens a lease needs. */
  readonly spare: number;
  readonly ledger: Ledger;
  readonly tally: Tally;
  readonly deadlines: Deadlines;
  readonly circuit: Circuit;
  readonly fallback: Fallback;
  #hasWarned = false;
  /** Whether the store has refused the latest call of which it says so. */
  #isRefused = false;
  /** The highest version that was heard of. */
  #latest = -Infinity;
  #lately: LimitName;
  readonly #only: SharedPool | undefined;
  readonly #byKey = new Map<string, SharedPool>();

  constructor(
    readonly settings: SharedSettings,
    readonly session: Session,
  ) {
    const { name, limit, queueLimit, clock, handoff, reserve } = settings;
    const { store } = session;
    this.name = name;
    this.limit = limit;
    this.declared = limit;
    this.queueLimit = queueLimit;
    this.spare = Math.max(handoff, reserve > 0 ? usesInReserve - 1 : 0);
    this.#lately = { name };
    this.ledger = new Ledger(settings);
    this.tally = new Tally(settings);
    this.deadlines = new Deadlines(clock, (late) => this.late(late));
    this.circuit = new Circuit(
      store.clock,
      store.timeout,
      async () => store.stats(this.#lately),
      () => this.#turned(),
    );
    this.fallback = new Fallback(this, settings.onStoreError);
    if (!settings.perKey) this.#only = new SharedPool(this, undefined, undefined);
    session.join(this);
  }

  get clock(): Clock {
    return this.settings.clock;
  }

  /** Whether a lease may be kept for a while with nothing at work. */
  get reserves(): boolean {
    return this.settings.reserve > 0;
  }

  /** The pool for a key; a new one is not kept before it is used. */
  of(key: string | undefined, limit: number | undefined): SharedPool {
    checkKey(this.settings, key, limit);
    const pool = this.find(key);
    if (pool === undefined) return new SharedPool(this, key, limit);
    if (limit !== undefined) pool.view.declare(limit);
    return pool;
  }

  find(key: string | undefined): SharedPool | undefined {
    return this.#only ?? this.#byKey.get(key as string);
  }

  keep(pool: SharedPool, key: string): void {
    this.#byKey.set(key, pool);
  }

  forget(pool: SharedPool, key: string): void {
    if (this.#byKey.get(key) === pool) this.#byKey.delete(key);
  }

  get keys(): number {
    return this.#byKey.size;
  }

  /** A copy: what is done to one pool may end another's use. */
  inUse(): SharedPool[] {
    return this.#only === undefined ? [...this.#byKey.values()] : [this.#only];
  }

  /** Milliseconds that it may still wait in line; 0 where it may not. */
  timeLeft({ term, deadline }: Waiter): number {
    if (term === undefined || this.queueLimit === 0) return 0;
    const left = deadline === 0 ? longestTimer : Math.ceil(deadline - term.owner.clock.now());
    return Math.min(Math.max(left, 0), longestTimer);
  }

  /** What the store says besides its answer; `adopts` where it is about the limit of all. */
  learn(standing: Standing, adopts: boolean): void {
    const { name, observer } = this.settings;
    const { reclaimed } = standing;
    if (adopts) this.#adopt(standing);
    if (reclaimed === 0) return;
    this.reclaimed += reclaimed;
    observer.reclaimed?.({ name, count: reclaimed });
  }

  /** Another process, or an earlier `setLimit`, has declared what applies. A late answer may not know of the latest. */
  #adopt({ limit, version }: Standing): void {
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

  /** The app has declared another. */
  declare(limit: number): void {
    const { name, observer } = this.settings;
    this.limit = limit;
    this.declared = limit;
    this.version = '';
    this.fallback.setLimit(limit);
    observer.resized?.({ name, limit });
  }

  /** A waiter's time is up, whether or not the store has answered: the outage policy is for stores that are away. */
  late(waiter: Waiter): void {
    const { place } = waiter;
    if (place instanceof Lease) place.pool.reject(waiter, 'timeout');
  }

  failed(key: string | undefined, error: StoreError): void {
    this.#lately = { name: this.name, key };
    this.circuit.failed(error);
    if (this.circuit.error === undefined) this.#report(true, error);
  }

  /** A caller is affected by an outage or a refusal. Where none is, for instance while the app ends, nothing is warned of. */
  affected(error: StoreError | undefined): void {
    const { name, observer, onStoreError } = this.settings;
    if (error === undefined || observer.store !== undefined) return;
    if (this.circuit.error === undefined) this.#isRefused = true;
    this.session.warnings.failed(name, onStoreError, error);
  }

  /** The store has answered a call, and has not refused it. */
  worked(): void {
    if (!this.#isRefused) return;
    this.#isRefused = false;
    this.session.warnings.worked(this.name);
  }

  /** The store has let go of a lease that this process had not released. */
  leaseLost(weight: number): void {
    const { name, observer } = this.settings;
    this.lost++;
    observer.lost?.({ name, weight });
  }

  doubted(): void {
    void this.circuit.doubt();
  }

  slowed(reason: string | undefined): void {
    const { name, observer } = this.settings;
    observer.slowed?.({ name, reason });
  }

  muted(error: StoreError | undefined): void {
    const { name, settings, session } = this;
    if (this.circuit.error !== undefined) return;
    if (settings.observer.store !== undefined) settings.observer.store({ name, up: true, error });
    else if (error === undefined) session.warnings.returned(name);
    else session.warnings.muted(name, error);
  }

  tell(): void {
    for (const pool of this.inUse()) this.fallback.tellOf(pool);
  }

  stats(): SharedStats {
    const { reclaimed, lost, declared } = this;
    const { inflight, queued } = this.#only?.view ?? {
      inflight: undefined,
      queued: undefined,
    };
    return { up: this.circuit.error === undefined, declared, inflight, queued, reclaimed, lost };
  }

  #report(up: boolean, error: StoreError | undefined): void {
    const { name, observer } = this.settings;
    observer.store?.({ name, up, error });
    if (error === undefined) this.session.warnings.returned(name);
  }

  #turned(): void {
    const { error } = this.circuit;
    this.#report(error === undefined, error);
    if (error === undefined) this.session.releases.sendAgain();
    if (this.closed) return;
    if (error === undefined) this.fallback.end();
    else this.fallback.begin();
  }
}
