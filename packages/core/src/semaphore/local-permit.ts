import type { Outcome } from '../limits/limit.ts';
import type { KeyedSemaphores } from './keyed-semaphores.ts';
import { type PermitSource, SemaphorePermit } from './permit.ts';
import { isHigher, type Prioritized, type PriorityInheritance } from './priority.ts';
import type { Queue } from './queue.ts';

/** What a permit needs of its semaphore. */
interface Source extends PermitSource {
  readonly parent: Pick<
    KeyedSemaphores<never>,
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
    const isNeeded = inheritance !== undefined || limitUpdater !== undefined;
    if (this.extra?.waiter !== undefined || !isNeeded) return;
    this.extras().waiter = waiter;
    inheritance?.track(waiter);
    if (limitUpdater !== undefined) limitUpdater.idle += this.weight;
  }

  override resume(): void {
    const { permits, limitUpdater } = this.semaphore.parent;
    if (this.#unpause() && limitUpdater !== undefined) permits.restart(this);
  }

  protected reweigh(weight: number): void {
    const change = weight - this.weight;
    this.weight = weight;
    this.semaphore.reweigh(this, change);
  }

  protected returnWeight(outcome: Outcome): void {
    const { limitUpdater, settings, inflight } = this.semaphore.parent;
    const isPaused = this.#unpause();
    if (limitUpdater !== undefined && !isPaused && outcome !== 'ignored') {
      const { since, kind } = this;
      const now = settings.clock.now();
      const working = inflight - limitUpdater.idle;
      limitUpdater.sample({ rtt: now - since, inflight: working, outcome, now, kind });
    }
    this.semaphore.release(this);
  }

  /** Returns whether its request was queued at a later limit of its gate. */
  #unpause(): boolean {
    const { extra, semaphore, weight } = this;
    if (extra?.waiter === undefined) return false;
    const { inheritance, parent } = semaphore;
    inheritance?.untrack(extra.waiter);
    extra.waiter = undefined;
    if (parent.limitUpdater !== undefined) parent.limitUpdater.idle -= weight;
    return true;
  }
}
