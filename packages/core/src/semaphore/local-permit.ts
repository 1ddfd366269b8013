import { BasePermit, type Outcome, type Register } from './permit.ts';
import { isHigher } from './priority.ts';
import type { Semaphore } from './semaphore.ts';
import type { Waiter } from './waiter.ts';

/** A permit of a limit that is counted in this process. */
export class LocalPermit extends BasePermit {
  constructor(
    private readonly semaphore: Semaphore,
    weight: number,
    waited: number,
  ) {
    super(weight, waited);
  }

  get key(): string | undefined {
    return this.semaphore.key;
  }

  protected get register(): Register {
    return this.semaphore.parent.permits;
  }

  /** The permit's request, while it is queued at a later limit of its gate. */
  get waiter(): Waiter | undefined {
    return this.extra?.waiter;
  }

  /** Name of the permit's share, if the limit is divided. */
  get share(): string | undefined {
    return this.extra?.share;
  }

  set share(share: string) {
    this.extras().share = share;
  }

  override pause(waiter: Waiter): void {
    // `maxHold` may have released it since the admission.
    if (this.released) return;
    const { inheritance, parent, queue } = this.semaphore;
    const highest = inheritance && queue.highest;
    // A waiter of a higher priority may already be queued here: the request inherits that priority.
    if (highest !== undefined && isHigher(highest, waiter.priority)) waiter.priority = highest;
    const isNeeded = inheritance !== undefined || parent.limitUpdater !== undefined;
    if (this.waiter !== undefined || !isNeeded) return;
    this.extras().waiter = waiter;
    inheritance?.track(this);
    parent.limitUpdater?.pause(this);
  }

  override resume(): void {
    if (this.waiter === undefined) return;
    this.#stopWaiting();
    this.semaphore.parent.limitUpdater?.resume(this);
  }

  countsAgainst(limit: string): boolean {
    return this.semaphore.parent.settings.name === limit;
  }

  protected reweigh(weight: number): void {
    const change = weight - this.weight;
    this.weight = weight;
    this.semaphore.reweigh(this, change);
  }

  protected returnWeight(outcome: Outcome): void {
    this.semaphore.parent.limitUpdater?.released(this, outcome);
    if (this.waiter !== undefined) this.#stopWaiting();
    this.semaphore.release(this);
  }

  #stopWaiting(): void {
    this.extras().waiter = undefined;
    this.semaphore.inheritance?.untrack(this);
  }
}
