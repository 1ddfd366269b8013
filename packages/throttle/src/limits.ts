import type { Clock } from '@headgate/core';
import type { LimitRef, Standing } from '@headgate/core/shared';
import { endedBy } from './ended-by.ts';
import { refused } from './failure.ts';
import type { SemaphoreMetrics } from './metrics.ts';
import type { Protocol } from './protocol.ts';
import type { CallTimes } from './transport.ts';

/** Milliseconds for which the service's figures are recent enough for who wants to know how long the line is. */
const fresh = 1_000;

interface Known {
  /** Undefined where the service has it no more. */
  metrics: SemaphoreMetrics | undefined;
  /** What applies: the latest full count that was above 0. */
  limit: number;
  /** The later a limit was seen to apply, the higher. */
  version: number;
}

/** What this process knows of the service's semaphores: their full counts, and how they stood lately. */
export class Limits {
  readonly #known = new Map<string, Known>();
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(
    private readonly protocol: Protocol,
    private readonly clock: Clock,
    /** Milliseconds. */
    private readonly timeout: number,
  ) {}

  /** @throws StoreError where the service has no such limit: the error says what it has instead. */
  async confirm(ref: LimitRef, { signal }: CallTimes): Promise<void> {
    if (this.#objection(ref) !== undefined) await endedBy(this.#lookOnce(), signal);
    else if (this.clock.now() - this.#askedAt > fresh) this.#lookOnce().catch(() => {});
    const objection = this.#objection(ref);
    if (objection !== undefined) throw refused(objection);
  }

  /** As far as it is known. */
  standing({ name, limit, version }: LimitRef, checkIn: number): Standing {
    const known = this.#known.get(name);
    // Before it is confirmed, what the service has instead is a mistake, not news.
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

  /** How it stood lately; undefined where the service has no such semaphore. */
  metrics(name: string): SemaphoreMetrics | undefined {
    return this.#known.get(name)?.metrics;
  }

  /** Asks the service. */
  async look(): Promise<void> {
    const now = this.clock.now();
    const all = await this.protocol.metrics({ timeout: this.timeout });
    this.#askedAt = now;
    for (const known of this.#known.values()) known.metrics = undefined;
    for (const [name, metrics] of all) this.#learn(name, metrics);
  }

  /** The same for all who want to know before it has answered. */
  #lookOnce(): Promise<void> {
    this.#asking ??= this.look().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  #learn(name: string, metrics: SemaphoreMetrics): void {
    const known = this.#known.get(name);
    if (known === undefined) {
      this.#known.set(name, { metrics, limit: metrics.max, version: 1 });
    } else {
      known.metrics = metrics;
      // Of 0, nobody's limit can be: it is closed for a while.
      if (metrics.max === known.limit || metrics.max === 0) return;
      known.limit = metrics.max;
      known.version++;
    }
  }

  /** Where the limiter has heard of the limit before, another that applies by now is news, not a mistake. */
  #objection({ name, limit, version }: LimitRef): string | undefined {
    const known = this.#known.get(name);
    if (known?.metrics === undefined) {
      return `the semaphore service has no semaphore "${name}": configure it with ${limit}, the limit here`;
    }
    if (version !== '' || known.limit === limit) return undefined;
    return `semaphore "${name}" has ${known.limit} at the service, but the limit "${name}" is ${limit} here: they must be equal`;
  }
}
