import type { LocalPermit } from './local-permit.ts';
import { isHigher, type Priority } from './priority.ts';
import type { Semaphore } from './semaphore.ts';

/**
 * Priority inheritance (Sha, Rajkumar and Lehoczky, 1990). Tracks the permits of one semaphore whose requests are
 * queued at a later limit of the same gate. When a higher-priority waiter joins this semaphore's queue, those
 * requests inherit its priority; without that, one low-priority request could block a narrow limit for every higher
 * class.
 */
export class PriorityInheritance {
  readonly #permits = new Set<LocalPermit>();

  track(permit: LocalPermit): void {
    this.#permits.add(permit);
  }

  untrack(permit: LocalPermit): void {
    this.#permits.delete(permit);
  }

  /** Raises every tracked request to at least `priority`. */
  raiseTo(priority: Priority): void {
    // Copied first: raising a request can admit it, which untracks its permit.
    for (const { waiter } of [...this.#permits]) {
      if (waiter === undefined || !isHigher(priority, waiter.priority)) continue;
      const { queuedAt: place } = waiter;
      // Not queued yet: it will enqueue with the new priority.
      if (place === undefined) waiter.priority = priority;
      else if ('raise' in place) (place as Semaphore).raise(waiter, priority);
    }
  }
}
