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

/** What `createLimiter` has checked and completed. */
export interface LimiterSettings extends HoldSettings {
  readonly perKey: boolean;
  readonly limit: number | LimitFactory;
  readonly queueLimit: number;
  readonly queueWeight: number;
  readonly queueTimeout: number;
  readonly order: Order;
  /** Where it is counted with other processes. */
  readonly sharing: Sharing | undefined;
  readonly maxRetryAfter: number;
  readonly random: () => number;
}

/**
 * A limiter's pools, and what they have in common: a single pool, or one for each key in use. An idle key leaves
 * nothing behind.
 */
export class Pools {
  /** For keys without a limit of their own. */
  limit: number;
  inflight = 0;
  queued = 0;
  closed = false;
  readonly ledger: Ledger;
  /** Only where the limit moves. */
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

  /** The pool for a key; a new one is not kept before somebody is admitted. */
  of(key: string | undefined, limit: number | undefined): Pool {
    checkKey(this.settings, key, limit);
    const pool = this.find(key);
    if (pool === undefined) return new Pool(this, key, limit ?? this.limit);
    if (limit === undefined || limit === pool.limit) return pool;
    pool.resize(limit);
    // Whom that has admitted may be done already, and the pool forgotten.
    return this.find(key) ?? new Pool(this, key, limit);
  }

  /** As `of`, after the app's own code has run: the key may be in use again, and under another limit. */
  again(key: string | undefined, limit: number | undefined): Pool {
    return this.find(key) ?? this.of(key, limit);
  }

  /** Revokes nothing; whoever fits now is let in. */
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

  /** How many keys are in use. */
  get keys(): number {
    return this.#byKey.size;
  }

  /** A copy: what is done to one pool may end another's use. */
  inUse(): Pool[] {
    return this.#only === undefined ? [...this.#byKey.values()] : [this.#only];
  }
}
