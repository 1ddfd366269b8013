import type { LimitFactory } from '../limits/limit.ts';
import { Counters } from './counters.ts';
import { Deadlines } from './deadlines.ts';
import { together } from './grants.ts';
import { LimitUpdater } from './limit-updater.ts';
import { type HoldSettings, PermitTracker } from './permit-tracker.ts';
import type { Order } from './queue.ts';
import { checkKey } from './request.ts';
import { Semaphore } from './semaphore.ts';

/** Validated options of a limit that is counted by semaphores, with defaults. */
export interface SemaphoreSettings extends HoldSettings {
  readonly perKey: boolean;
  readonly limit: number | LimitFactory;
  readonly queueLimit: number;
  readonly queueWeight: number;
  readonly queueTimeout: number;
  readonly order: Order;
  readonly maxRetryAfter: number;
  readonly random: () => number;
}

/**
 * The semaphores of a limiter and their common state: a single semaphore, or one for each key in use. An idle key
 * occupies no memory.
 */
export class KeyedSemaphores {
  /** The limit of keys without a limit of their own. */
  limit: number;
  inflight = 0;
  queued = 0;
  closed = false;
  readonly permits: PermitTracker;
  /** Defined only if the limit is adaptive. */
  readonly limitUpdater: LimitUpdater | undefined;
  readonly counters: Counters;
  readonly deadlines: Deadlines;
  readonly #only: Semaphore | undefined;
  readonly #byKey = new Map<string, Semaphore>();

  constructor(readonly settings: SemaphoreSettings) {
    const { limit, random } = settings;
    if (typeof limit === 'object') this.limitUpdater = new LimitUpdater(this, limit.create(random));
    this.limit = this.limitUpdater?.limit ?? (limit as number);
    this.permits = new PermitTracker(settings, this.limitUpdater !== undefined);
    this.counters = new Counters(settings);
    this.deadlines = new Deadlines(settings.clock, (late) =>
      (late.queuedAt as Semaphore).reject(late, 'timeout'),
    );
    if (!settings.perKey) this.#only = new Semaphore(this, undefined, this.limit);
  }

  /** The semaphore of a key; a new one is stored only once it admits or queues a request. */
  of(key: string | undefined, limit: number | undefined): Semaphore {
    checkKey(this.settings, key, limit);
    const semaphore = this.find(key);
    if (semaphore === undefined) return new Semaphore(this, key, limit ?? this.limit);
    if (limit === undefined || limit === semaphore.limit) return semaphore;
    semaphore.resize(limit);
    // A waiter admitted above may already have released, which evicts the idle semaphore.
    return this.find(key) ?? new Semaphore(this, key, limit);
  }

  /** As `of`, after application code has run, which may have used the key again with another limit. */
  again(key: string | undefined, limit: number | undefined): Semaphore {
    return this.find(key) ?? this.of(key, limit);
  }

  /** Changes the limit of all keys in use: admits the waiters that now fit, and revokes no permit. */
  resize(limit: number): void {
    const { name, observer } = this.settings;
    this.limit = limit;
    together(() => {
      for (const semaphore of this.inUse()) semaphore.resize(limit);
    });
    observer.resized?.({ name, limit });
  }

  find(key: string | undefined): Semaphore | undefined {
    return this.#only ?? this.#byKey.get(key as string);
  }

  keep(semaphore: Semaphore, key: string): void {
    this.#byKey.set(key, semaphore);
  }

  forget(semaphore: Semaphore, key: string): void {
    if (this.#byKey.get(key) === semaphore) this.#byKey.delete(key);
  }

  /** Number of keys in use. */
  get keys(): number {
    return this.#byKey.size;
  }

  /** A copy, since changing one semaphore may evict another. */
  inUse(): Semaphore[] {
    return this.#only === undefined ? [...this.#byKey.values()] : [this.#only];
  }
}
