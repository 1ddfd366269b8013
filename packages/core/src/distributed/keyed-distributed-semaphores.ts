import type { StoreError } from '../semaphore/rejection.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { Member, Session } from './lease/session.ts';
import { Availability } from './outage/availability.ts';
import { Fallback } from './outage/fallback.ts';
import type { StoreWarnings } from './outage/store-warnings.ts';
import { AssignedLease } from './semaphore/distributed-permit.ts';
import { DistributedSemaphore, type SemaphoreContext } from './semaphore/distributed-semaphore.ts';
import { DistributedLimit } from './semaphore/limit-state.ts';
import type { DistributedSettings } from './settings.ts';

/** The semaphores of a distributed limiter, which receive the messages of its store. */
export class KeyedDistributedSemaphores
  extends DistributedLimit<DistributedSemaphore>
  implements Member
{
  readonly fallback: Fallback;
  readonly #availability: Availability;
  readonly #context: SemaphoreContext;

  constructor(
    settings: DistributedSettings,
    private readonly session: Session,
    warnings: StoreWarnings,
  ) {
    super(settings);
    this.#availability = new Availability(settings, warnings, session.store, (error) =>
      this.#turned(error),
    );
    this.fallback = new Fallback(this, this.#availability);
    this.#context = { limit: this, session, outages: this.fallback };
    if (!settings.perKey) this.only = this.create(undefined, undefined);
    session.join(this);
  }

  protected create(key: string | undefined, limit: number | undefined): DistributedSemaphore {
    return new DistributedSemaphore(this.#context, key, limit);
  }

  /** A timeout even if the store has not answered: `onStoreError` is for outages. */
  protected expire(late: Waiter): void {
    this.at(late)?.reject(late, 'timeout');
  }

  /** The limit that applies has changed. */
  resize(limit: number): void {
    const { name, observer } = this.settings;
    this.limit = limit;
    this.fallback.setLimit(limit);
    observer.resized?.({ name, limit });
  }

  /** The semaphore at which the waiter is queued, if it is one of these. */
  at({ queuedAt: lease }: Waiter): DistributedSemaphore | undefined {
    if (!(lease instanceof AssignedLease)) return undefined;
    const semaphore = this.find(lease.owner.ref.key);
    return semaphore === lease.owner ? semaphore : undefined;
  }

  /** Changes the limit of all keys in use, here and at the store. */
  declare(limit: number): void {
    const { session } = this;
    this.declared = limit;
    this.version = '';
    this.resize(limit);
    for (const { limitState } of this.inUse()) {
      session.send({ verb: 'setLimit', ref: limitState.ref }, (answer) => {
        if (!('error' in answer)) limitState.learn(answer, session.store.clock.now());
      });
    }
  }

  /** Rejects all waiters, and releases idle leases. */
  close(): void {
    this.closed = true;
    this.#availability.end();
    for (const semaphore of this.inUse()) {
      semaphore.returnIdle();
      for (const { waiter } of semaphore.waiters.leases()) {
        if (waiter !== undefined) semaphore.reject(waiter, 'closed');
      }
    }
    this.session.leave(this);
  }

  override stats() {
    const { declared, reclaimed, lost } = this;
    const { inflight, queued } = this.only?.limitState ?? {};
    const up = this.#availability.error === undefined;
    return {
      ...super.stats(),
      distributed: { up, declared, inflight, queued, reclaimed, lost },
    };
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
    if (this.closed) return;
    if (error === undefined) this.fallback.end();
    else this.fallback.begin();
  }
}
