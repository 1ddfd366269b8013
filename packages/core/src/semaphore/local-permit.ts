import type { Outcome } from '../limits/limit.ts';
import type { LimitUpdater } from '../limits/limit-updater.ts';
import { type PermitSource, SemaphorePermit } from './permit.ts';
import { isHigher, type Prioritized, type PriorityInheritance } from './priority.ts';
import type { Queue } from './queue.ts';
import type { SemaphoreGroup } from './semaphore-group.ts';

/** What a permit needs of its semaphore. */
interface Source extends PermitSource {
  readonly parent: Pick<
    SemaphoreGroup<never>,
    'permits' | 'settings' | 'limitUpdater' | 'inflight'
  >;
  readonly queue: Queue;
  readonly inheritance: PriorityInheritance | undefined;
  /** Applies the changed weight of a permit. */
  reweigh(permit: LocalPermit, change: number): void;
  release(permit: LocalPermit): void;
}

/** A permit of a limit that is counted in this process. */
export class LocalPermit extends SemaphorePermit<Source> {
  /** Explicit, since V8 constructs permits slower with an implicit constructor. */
  constructor(semaphore: Source, weight: number, waited: number) {
    super(semaphore, weight, waited);
  }

  /** Name of the permit's share, if the limit is divided. */
  get share(): string | undefined {
    return this.extra?.share;
  }

  set share(share: string) {
    this.extras().share = share;
  }

  override pause(waiter: Prioritized): void {
    // `maxHold` may have released it since the admission.
    if (this.released) return;
    const { inheritance, parent, queue } = this.semaphore;
    const { limitUpdater } = parent;
    const highest = inheritance && queue.highest;
    // A waiter of a higher priority may already be queued here: the request inherits that priority.
    if (highest !== undefined && isHigher(highest, waiter.priority)) waiter.priority = highest;
    if (this.extra?.waiter !== undefined || (inheritance ?? limitUpdater) === undefined) return;
    this.extras().waiter = waiter;
    inheritance?.track(waiter);
    if (limitUpdater !== undefined) limitUpdater.idle += this.weight;
  }

  override resume(): void {
    if (this.extra?.waiter === undefined) return;
    const { permits, limitUpdater } = this.semaphore.parent;
    this.#stopWaiting(this.extra.waiter);
    if (limitUpdater !== undefined) permits.restart(this);
  }

  protected reweigh(weight: number): void {
    const change = weight - this.weight;
    this.weight = weight;
    this.semaphore.reweigh(this, change);
  }

  protected returnWeight(outcome: Outcome): void {
    const { limitUpdater } = this.semaphore.parent;
    if (this.extra?.waiter !== undefined) this.#stopWaiting(this.extra.waiter);
    else if (limitUpdater !== undefined && outcome !== 'ignored') {
      this.#sample(limitUpdater, outcome);
    }
    this.semaphore.release(this);
  }

  #stopWaiting(waiter: Prioritized): void {
    const { inheritance, parent } = this.semaphore;
    this.extras().waiter = undefined;
    inheritance?.untrack(waiter);
    if (parent.limitUpdater !== undefined) parent.limitUpdater.idle -= this.weight;
  }

  #sample(limitUpdater: LimitUpdater, outcome: Exclude<Outcome, 'ignored'>): void {
    const { since, kind } = this;
    const { settings, inflight } = this.semaphore.parent;
    const now = settings.clock.now();
    const working = inflight - limitUpdater.idle;
    limitUpdater.sample({ rtt: now - since, inflight: working, outcome, now, kind });
  }
}
