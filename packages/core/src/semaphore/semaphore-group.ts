import { checkDuration } from '../checks.ts';
import type { LimitFactory } from '../limits/limit.ts';
import { LimitUpdater } from '../limits/limit-updater.ts';
import { Counters } from './counters.ts';
import { Deadlines } from './deadlines.ts';
import { type HoldSettings, PermitTracker } from './permit-tracker.ts';
import type { Order } from './queue.ts';
import type { RejectionCause, RejectionReason } from './rejection.ts';
import { checkOrdering } from './request.ts';
import type { Waiter } from './waiter.ts';

/** Validated options of a limit that is counted by semaphores, with defaults. */
export interface SemaphoreSettings extends HoldSettings {
  readonly perKey: boolean;
  readonly limit: number | LimitFactory;
  /** Whether each request sets the limit of its key. The limiter then has no common limit that could be changed. */
  readonly isLimitPerRequest?: boolean | undefined;
  readonly queueLimit: number;
  readonly queueWeight: number;
  readonly queueTimeout: number;
  readonly order: Order;
  /** Longest pause in milliseconds. */
  readonly maxPause: number;
}

/** A counting semaphore, for the whole limit or for one key. */
export interface GroupMember {
  readonly key: string | undefined;
  /** The waiter that arrived first. */
  readonly oldest: Waiter | undefined;
  /** Milliseconds after which answers come too late for the clients; Infinity while unknown. */
  readonly learnedTimeout: number;
  /** Milliseconds until the pause ends; 0 without a pause. */
  readonly pauseLeft: number;
  /** Number of permits that were released. */
  readonly released: number;
  /** Number of permits that are held. */
  readonly holders: number;
  /** For each of the latest refusals by the service behind the limit: the value of `released` then. */
  readonly refusals: number[];
  /** Pauses it for this many milliseconds, unless it is paused for longer already. 0 ends the pause. */
  pauseFor(milliseconds: number): void;
  /** Removes a waiter of its queue without an answer. */
  withdraw(waiter: Waiter): void;
  /** Rejects a waiter of its queue. */
  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void;
}

/**
 * The semaphores of a limiter and their common state: a single semaphore, or one for each key in use.
 */
export abstract class SemaphoreGroup<Semaphore extends GroupMember> {
  readonly name: string;
  /** The limit of keys without a limit of their own. */
  limit: number;
  /** Weight held by this process. */
  abstract readonly inflight: number;
  /** Number of queued waiters of this process. */
  queued = 0;
  closed = false;
  /** `rejecting` rejects new requests; only `open` grants permits. */
  status: 'open' | 'paused' | 'rejecting' = 'open';
  /** Whether `status` is `open`. A flag, since every request reads it. */
  grants = true;
  /** Whether new requests are rejected. */
  rejects = false;
  /** Whether requests beyond the limit are admitted too, and only reported. */
  isShadow = false;
  readonly shareNames: readonly string[];
  /** Whether the order needs to know later which request has a permit. */
  readonly ordersByRequest: boolean;
  readonly permits: PermitTracker;
  /** Defined only if the limit is adaptive. */
  readonly limitUpdater: LimitUpdater | undefined;
  readonly counters: Counters;
  readonly load = new InflightHistogram();
  readonly deadlines: Deadlines;
  /** Defined only if the limit is not per key. The constructor of each subclass sets it. */
  protected only: Semaphore | undefined = undefined;
  readonly #byKey = new Map<string, Semaphore>();

  constructor(readonly settings: SemaphoreSettings) {
    const { name, limit, order, clock } = settings;
    this.name = name;
    this.shareNames = order.shareNames ?? [];
    this.ordersByRequest = this.shareNames.length > 0 || !order.ignores.includes('fairBy');
    this.limitUpdater =
      typeof limit === 'number' ? undefined : new LimitUpdater(limit.create(), this);
    this.limit = this.limitUpdater?.initial ?? (limit as number);
    this.permits = new PermitTracker(settings, this.limitUpdater !== undefined);
    this.counters = new Counters(settings);
    this.deadlines = new Deadlines(clock, (late) => this.at(late)?.reject(late, 'timeout'));
  }

  /** Returns the semaphore of a key. A new one is stored only once it is used. */
  abstract findOrCreate(key: string | undefined, limit: number | undefined): Semaphore;
  /** Returns the semaphore at which the waiter is queued, if it belongs to this group. */
  abstract at(waiter: Waiter): Semaphore | undefined;
  /** Applies a changed limit to all keys in use. */
  abstract resize(limit: number): void;

  /** Checks the wait options of a request that cannot be admitted at once. Returns its maximum wait in milliseconds. */
  protected timeoutOf(waiter: Waiter): number {
    checkOrdering(waiter);
    const { queueTimeout = this.settings.queueTimeout } = waiter;
    return checkDuration('queueTimeout', queueTimeout);
  }

  /**
   * Milliseconds for which the waiter may still wait, out of its maximum wait. A gate's request may have used a part of
   * that at an earlier limit.
   */
  protected timeLeft({ timeoutBucket, deadline }: Waiter, timeout: number): number {
    if (timeoutBucket === undefined) return timeout;
    const left = deadline - timeoutBucket.deadlines.clock.now();
    // A waiter that is late already is not rejected here, but times out.
    return left > 0 ? left : Infinity;
  }

  protected setStatus(status: 'open' | 'paused' | 'rejecting'): void {
    this.status = status;
    this.grants = status === 'open';
    this.rejects = status === 'rejecting';
  }

  find(key: string | undefined): Semaphore | undefined {
    return this.only ?? this.#byKey.get(key as string);
  }

  /** Stores the semaphore of a key while it is in use. */
  keep(semaphore: Semaphore, key: string): void {
    this.#byKey.set(key, semaphore);
  }

  forget(semaphore: Semaphore, key: string): void {
    if (this.#byKey.get(key) === semaphore) this.#byKey.delete(key);
  }

  /** A copy, since changing one semaphore may evict another. */
  inUse(): Semaphore[] {
    return this.only === undefined ? [...this.#byKey.values()] : [this.only];
  }

  stats() {
    const { name, limit, inflight, queued } = this;
    const { baseline, limitReason } = this.limitUpdater?.stats() ?? {};
    const inUse = this.inUse();
    const waiters = inUse.map(({ oldest }) => oldest);
    const shortest = inUse.reduce((min, one) => Math.min(min, one.learnedTimeout), Infinity);
    const learnedTimeout = shortest === Infinity ? undefined : Math.round(shortest);
    const pausedFor = inUse.reduce((max, one) => Math.max(max, one.pauseLeft), 0) || undefined;
    const common = this.counters.stats(this.permits, waiters);
    const current = {
      name,
      limit,
      limitReason,
      baseline,
      inflight,
      queued,
      keys: this.#byKey.size,
    };
    return { ...current, ...this.load.stats(), ...common, learnedTimeout, pausedFor };
  }
}

/** Counts admissions by the weight that was in flight. Recording an admission costs one increment. */
class InflightHistogram {
  peak = 0;
  /**
   * One bucket for each power of two: 1, 2, 4 and so on are the upper bounds. A `Float64Array` is the fastest to
   * update.
   */
  private readonly counts = new Float64Array(33);

  /** @param inflight The weight in flight, including the new permit. */
  record(inflight: number): void {
    if (inflight > this.peak) this.peak = inflight;
    (this.counts[bucketOf(inflight)] as number)++;
  }

  stats() {
    const length = this.peak === 0 ? 0 : 1 + bucketOf(this.peak);
    return { inflightPeak: this.peak, inflightHistogram: [...this.counts.subarray(0, length)] };
  }
}

function bucketOf(inflight: number): number {
  return 32 - Math.clz32(inflight - 1);
}
