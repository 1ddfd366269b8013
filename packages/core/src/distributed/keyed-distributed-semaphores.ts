import type { DistributedStats } from '../limiter/limiter.ts';
import { Deadlines } from '../semaphore/deadlines.ts';
import type { StoreError } from '../semaphore/rejection.ts';
import { checkKey } from '../semaphore/request.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { Member, Session } from './lease/session.ts';
import { Availability } from './outage/availability.ts';
import { Fallback } from './outage/fallback.ts';
import type { StoreWarnings } from './outage/store-warnings.ts';
import { AssignedLease } from './semaphore/distributed-permit.ts';
import { DistributedSemaphore, type SemaphoreContext } from './semaphore/distributed-semaphore.ts';
import { DistributedLimit } from './semaphore/limit-state.ts';
import type { DistributedSettings } from './settings.ts';

/**
 * The semaphores of a distributed limiter, and what they have in common: a single one, or one for each key in use
 * here. An idle key occupies no memory.
 */
export class KeyedDistributedSemaphores implements Member {
  readonly name: string;
  readonly limit: DistributedLimit;
  readonly #availability: Availability;
  readonly fallback: Fallback;
  readonly #context: SemaphoreContext;
  readonly #only: DistributedSemaphore | undefined;
  readonly #byKey = new Map<string, DistributedSemaphore>();

  constructor(
    private readonly settings: DistributedSettings,
    private readonly session: Session,
    warnings: StoreWarnings,
  ) {
    this.name = settings.name;
    // A timeout even if the store has not answered: `onStoreError` is for outages.
    const late = (waiter: Waiter) => this.at(waiter)?.reject(waiter, 'timeout');
    const resized = (limit: number) => this.fallback.setLimit(limit);
    this.limit = new DistributedLimit(settings, new Deadlines(settings.clock, late), resized);
    this.#availability = new Availability(settings, warnings, session.store, (error) =>
      this.#turned(error),
    );
    this.fallback = new Fallback(this.limit, this.#availability, this);
    this.#context = {
      limit: this.limit,
      session,
      outages: this.fallback,
      keep: (semaphore, key) => this.#byKey.set(key, semaphore),
      forget: (semaphore, key) => {
        if (this.#byKey.get(key) === semaphore) this.#byKey.delete(key);
      },
    };
    if (!settings.perKey)
      this.#only = new DistributedSemaphore(this.#context, undefined, undefined);
    session.join(this);
  }

  /** The semaphore of a key; a new one is stored only once it is used. */
  of(key: string | undefined, limit: number | undefined): DistributedSemaphore {
    checkKey(this.settings, key, limit);
    const semaphore = this.find(key);
    if (semaphore === undefined) return new DistributedSemaphore(this.#context, key, limit);
    if (limit !== undefined) semaphore.limitState.declare(limit);
    return semaphore;
  }

  find(key: string | undefined): DistributedSemaphore | undefined {
    return this.#only ?? this.#byKey.get(key as string);
  }

  /** The semaphore at which the waiter is queued, if it is one of these. */
  at({ queuedAt: lease }: Waiter): DistributedSemaphore | undefined {
    if (!(lease instanceof AssignedLease)) return undefined;
    const semaphore = this.find(lease.owner.ref.key);
    return semaphore === lease.owner ? semaphore : undefined;
  }

  get keys(): number {
    return this.#byKey.size;
  }

  /** A copy, since changing one semaphore may evict another. */
  inUse(): DistributedSemaphore[] {
    return this.#only === undefined ? [...this.#byKey.values()] : [this.#only];
  }

  /** Changes the limit of all keys in use, here and at the store. */
  declare(limit: number): void {
    this.limit.declare(limit);
    const { session } = this;
    for (const { limitState } of this.inUse()) {
      session.send({ verb: 'setLimit', ref: limitState.ref }, (answer) => {
        if (!('error' in answer)) limitState.learn(answer, session.store.clock.now());
      });
    }
  }

  /** Rejects all waiters, and releases idle leases. */
  close(): void {
    this.limit.closed = true;
    this.#availability.end();
    for (const semaphore of this.inUse()) {
      semaphore.returnIdle();
      for (const { waiter } of semaphore.waiters.leases()) {
        if (waiter !== undefined) semaphore.reject(waiter, 'closed');
      }
    }
    this.session.leave(this);
  }

  /** Milliseconds for which the oldest waiter has been queued. */
  longestWait(): number {
    const now = this.settings.clock.now();
    let longest = 0;
    for (const { waiters } of this.inUse()) {
      longest = Math.max(longest, now - (waiters.first?.since ?? now));
    }
    return longest;
  }

  stats(): DistributedStats {
    const { reclaimed, lost, declared } = this.limit;
    const { inflight, queued } = this.#only?.limitState ?? {};
    const up = this.#availability.error === undefined;
    return { up, declared, inflight, queued, reclaimed, lost };
  }

  recalled(key: string | undefined): void {
    this.find(key)?.recalled();
  }

  doubted(): void {
    this.#availability.doubt();
  }

  checked(): void {
    for (const { held } of this.inUse()) held.register();
  }

  slowed(reason: string | undefined): void {
    const { name, observer } = this.settings;
    observer.slowed?.({ name, reason });
  }

  muted(error: StoreError | undefined): void {
    this.#availability.muted(error);
  }

  #turned(error: StoreError | undefined): void {
    if (error === undefined) this.session.releases.sendAgain();
    if (this.limit.closed) return;
    if (error === undefined) this.fallback.end();
    else this.fallback.begin();
  }
}
