import type { Clock } from '@headgate/core';
import type { LimitRef, Reply } from '@headgate/store-kit';
import { endedBy } from '../ended-by.ts';
import { refused } from '../failure.ts';
import type { SemaphoreMetrics } from '../metrics.ts';
import type { Protocol } from '../protocol.ts';
import type { CallTimes } from '../transport.ts';

/** Maximum age, in milliseconds, of the figures used to confirm a limit. */
const MAX_AGE = 1_000;

interface Known {
  /** Undefined if the service no longer has the semaphore. */
  metrics: SemaphoreMetrics | undefined;
  /** The limit that applies: the latest full count above 0. */
  limit: number;
  /** Increases with each new limit. */
  version: number;
}

/** A cache of the service's semaphores: their full counts and latest metrics. */
export class SemaphoreCache {
  readonly #known = new Map<string, Known>();
  #refreshedAt = -Infinity;
  #refreshing: Promise<void> | undefined;

  constructor(
    private readonly protocol: Protocol,
    private readonly clock: Clock,
    /** The timeout of a call, in milliseconds. */
    private readonly timeout: number,
  ) {}

  /**
   * Checks that the service has this limit.
   *
   * @throws StoreError if it does not; the message names what the service has instead.
   */
  async confirm(ref: LimitRef, { signal }: CallTimes): Promise<void> {
    if (this.#objection(ref) !== undefined) await endedBy(this.#refreshOnce(), signal);
    else if (this.clock.now() - this.#refreshedAt > MAX_AGE) this.#refreshOnce().catch(() => {});
    const objection = this.#objection(ref);
    if (objection !== undefined) throw refused(objection);
  }

  /** The state of the limit, as far as it is known. */
  limitState({ name, limit, version }: LimitRef, checkIn: number): Omit<Reply, 'state'> {
    const known = this.#known.get(name);
    // Until the limit is confirmed, a different full count is a configuration error, not an update.
    const applies = version !== '' || known?.limit === limit ? known : undefined;
    return {
      inflight: known?.metrics?.acquired ?? 0,
      queued: known?.metrics?.pending ?? 0,
      limit: applies?.limit ?? limit,
      version: applies === undefined ? version : String(applies.version),
      checkIn,
      reclaimed: 0,
    };
  }

  /** The latest known metrics; undefined if the service has no such semaphore. */
  metrics(name: string): SemaphoreMetrics | undefined {
    return this.#known.get(name)?.metrics;
  }

  /** Fetches the metrics of all semaphores. */
  async refresh(): Promise<void> {
    const now = this.clock.now();
    const all = await this.protocol.metrics({ timeout: this.timeout });
    this.#refreshedAt = now;
    for (const known of this.#known.values()) known.metrics = undefined;
    for (const [name, metrics] of all) this.#learn(name, metrics);
  }

  /** Fetches them once for all concurrent callers. */
  #refreshOnce(): Promise<void> {
    this.#refreshing ??= this.refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  #learn(name: string, metrics: SemaphoreMetrics): void {
    const known = this.#known.get(name);
    if (known === undefined) {
      this.#known.set(name, { metrics, limit: metrics.max, version: 1 });
    } else {
      known.metrics = metrics;
      // The limit stays as it is if the full count is 0, which means temporarily closed. A limit is never 0.
      if (metrics.max === known.limit || metrics.max === 0) return;
      known.limit = metrics.max;
      known.version++;
    }
  }

  /**
   * The reason why the limit cannot be used, if there is one. A limiter that has confirmed the limit before accepts a
   * different full count as an update.
   */
  #objection({ name, limit, version }: LimitRef): string | undefined {
    const known = this.#known.get(name);
    if (known?.metrics === undefined) {
      return `the semaphore service has no semaphore "${name}": configure it with ${limit}, the limit here`;
    }
    if (version !== '' || known.limit === limit) return undefined;
    return `semaphore "${name}" has ${known.limit} at the service, but the limit "${name}" is ${limit} here: they must be equal`;
  }
}
