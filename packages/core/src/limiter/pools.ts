import type { LimitFactory } from '../limits/limit.ts';
import { Deadlines } from './deadlines.ts';
import { together } from './grants.ts';
import { type HoldSettings, Ledger } from './ledger.ts';
import type { Order } from './line.ts';
import { Movement } from './movement.ts';
import { Pool } from './pool.ts';
import { checkKey } from './request.ts';
import type { Sharing } from './source.ts';
import { Tally } from './tally.ts';

/** Validated options of a limiter, with defaults. */
export interface LimiterSettings extends HoldSettings {
  readonly perKey: boolean;
  readonly limit: number | LimitFactory;
  readonly queueLimit: number;
  readonly queueWeight: number;
  readonly queueTimeout: number;
  readonly order: Order;
  /** Options of a distributed limit, if it is one. */
  readonly sharing: Sharing | undefined;
  readonly maxRetryAfter: number;
  readonly random: () => number;
}

/**
 * The semaphores of a limiter and their common state: a single semaphore, or one for each key in use. An idle key
 * occupies no memory.
 */
export class Pools {
  /** The limit of keys without a limit of their own. */
  limit: number;
  inflight = 0;
  queued = 0;
  closed = false;
  readonly ledger: Ledger;
  /** Defined only if the limit is adaptive. */
  readonly movement: Movement | undefined;
  readonly tally: Tally;
  readonly deadlines: Deadlines;
  readonly #only: Pool | undefined;
  readonly #byKey = new Map<string, Pool>();

  constructor(readonly settings: LimiterSettings) {
    const { limit, random } = settings;
    if (typeof limit === 'object') this.movement = new Movement(this, limit.create(random));
    this.limit = this.movement?.limit ?? (limit as number);
    this.ledger = new Ledger(settings, this.movement !== undefined);
    this.tally = new Tally(settings);
    this.deadlines = new Deadlines(settings.clock, (late) =>
      (late.place as Pool).reject(late, 'timeout'),
    );
    if (!settings.perKey) this.#only = new Pool(this, undefined, this.limit);
  }

  /** The semaphore of a key; a new one is stored only once it admits or queues a request. */
  of(key: string | undefined, limit: number | undefined): Pool {
    checkKey(this.settings, key, limit);
    const pool = this.find(key);
    if (pool === undefined) return new Pool(this, key, limit ?? this.limit);
    if (limit === undefined || limit === pool.limit) return pool;
    pool.resize(limit);
    // A waiter admitted above may already have released, which evicts the idle semaphore.
    return this.find(key) ?? new Pool(this, key, limit);
  }

  /** As `of`, after application code has run, which may have used the key again with another limit. */
  again(key: string | undefined, limit: number | undefined): Pool {
    return this.find(key) ?? this.of(key, limit);
  }

  /** Changes the limit of all keys in use: admits the waiters that now fit, and revokes no permit. */
  resize(limit: number): void {
    const { name, observer } = this.settings;
    this.limit = limit;
    together(() => {
      for (const pool of this.inUse()) pool.resize(limit);
    });
    observer.resized?.({ name, limit });
  }

  find(key: string | undefined): Pool | undefined {
    return this.#only ?? this.#byKey.get(key as string);
  }

  keep(pool: Pool, key: string): void {
    this.#byKey.set(key, pool);
  }

  forget(pool: Pool, key: string): void {
    if (this.#byKey.get(key) === pool) this.#byKey.delete(key);
  }

  /** Number of keys in use. */
  get keys(): number {
    return this.#byKey.size;
  }

  /** A copy, since changing one semaphore may evict another. */
  inUse(): Pool[] {
    return this.#only === undefined ? [...this.#byKey.values()] : [this.#only];
  }
}
