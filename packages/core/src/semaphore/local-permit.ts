import type { Outcome } from '../limits/limit.ts';
import type { LimitUpdater } from '../limits/limit-updater.ts';
import { BasePermit, type PermitRegistry } from './permit.ts';
import { isHigher, type PausedRequest, type PriorityInheritance } from './priority.ts';
import type { Queue } from './queue.ts';
import type { SemaphoreGroup } from './semaphore-group.ts';

interface PermitSource {
  readonly key: string | undefined;
  readonly group: Pick<SemaphoreGroup<never>, 'permits' | 'settings' | 'limitUpdater' | 'inflight'>;
  readonly queue: Queue;
  readonly inheritance: PriorityInheritance | undefined;
  changeWeight(permit: LocalPermit, change: number): void;
  release(permit: LocalPermit): void;
}

/** A permit of a limit that is counted in this process. */
export class LocalPermit extends BasePermit {
  constructor(
    private readonly semaphore: PermitSource,
    weight: number,
    waited: number,
  ) {
    super(weight, waited);
  }

  get key(): string | undefined {
    return this.semaphore.key;
  }

  protected get registry(): PermitRegistry {
    return this.semaphore.group.permits;
  }

  /** Name of the permit's share, if the limit is divided. */
  get share(): string | undefined {
    return this.extra?.share;
  }

  set share(share: string) {
    this.extras().share = share;
  }

  countsAgainst(limit: string): boolean {
    return this.semaphore.group.settings.name === limit;
  }

  override pause(waiter: PausedRequest): void {
    // `maxHold` may have released it since the admission.
    if (this.released) return;
    const { inheritance, group, queue } = this.semaphore;
    const { limitUpdater } = group;
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
    const { permits, limitUpdater } = this.semaphore.group;
    this.#stopWaiting(this.extra.waiter);
    if (limitUpdater !== undefined) permits.restart(this);
  }

  protected changeWeight(weight: number): void {
    const change = weight - this.weight;
    this.weight = weight;
    this.semaphore.changeWeight(this, change);
  }

  protected returnWeight(outcome: Outcome): void {
    const { limitUpdater } = this.semaphore.group;
    if (this.extra?.waiter !== undefined) this.#stopWaiting(this.extra.waiter);
    else if (limitUpdater !== undefined && outcome !== 'ignored') {
      this.#sample(limitUpdater, outcome);
    }
    this.semaphore.release(this);
  }

  #stopWaiting(waiter: PausedRequest): void {
    const { inheritance, group } = this.semaphore;
    this.extras().waiter = undefined;
    inheritance?.untrack(waiter);
    if (group.limitUpdater !== undefined) group.limitUpdater.idle -= this.weight;
  }

  #sample(limitUpdater: LimitUpdater, outcome: Exclude<Outcome, 'ignored'>): void {
    const { since, kind } = this;
    const { settings, inflight } = this.semaphore.group;
    const now = settings.clock.now();
    const working = inflight - limitUpdater.idle;
    limitUpdater.sample({ rtt: now - since, inflight: working, outcome, now, kind });
  }
}
