import type { LocalPermit } from '../semaphore/local-permit.ts';
import {
  type Inheritance,
  isHigher,
  type Priority,
  type SuspendedRequest,
} from '../semaphore/priority.ts';

/**
 * Suspends a permit while its request is queued at a later limit and does no work. Meanwhile an adaptive limit does not
 * count the request. If the queue orders by priority, the request inherits the priority of the waiters that it delays.
 *
 * @returns A function that ends the suspension; undefined if it has changed nothing.
 */
export function suspend(permit: LocalPermit, request: SuspendedRequest): (() => void) | undefined {
  const { semaphore } = permit;
  const { group, queue } = semaphore;
  const { limitUpdater, settings } = group;
  if (settings.order.ranks === true) {
    semaphore.inheritance ??= new PriorityInheritance();
    // A waiter of a higher priority may be queued here already.
    const { highest } = queue;
    if (highest !== undefined && isHigher(highest, request.priority)) request.priority = highest;
  }
  const { inheritance } = semaphore;
  if ((inheritance ?? limitUpdater) === undefined) return undefined;
  inheritance?.track(request);
  if (limitUpdater !== undefined) limitUpdater.idle += permit.weight;
  return () => {
    inheritance?.untrack(request);
    if (limitUpdater !== undefined) limitUpdater.idle -= permit.weight;
  };
}

/**
 * Priority inheritance (Sha, Rajkumar and Lehoczky, 1990). Tracks the requests that hold permits of one semaphore
 * while they are queued at a later limit of the same gate. When a higher-priority waiter joins this semaphore's queue,
 * those requests inherit its priority; without that, one low-priority request could block a narrow limit for every
 * higher class.
 */
class PriorityInheritance implements Inheritance {
  readonly #requests = new Set<SuspendedRequest>();

  track(request: SuspendedRequest): void {
    this.#requests.add(request);
  }

  untrack(request: SuspendedRequest): void {
    this.#requests.delete(request);
  }

  /** Raises every tracked request to at least `priority`. */
  raiseTo(priority: Priority): void {
    // Copied first: raising a request can admit it, which untracks it.
    for (const request of [...this.#requests]) {
      if (!this.#requests.has(request) || !isHigher(priority, request.priority)) continue;
      const { queuedAt } = request;
      // Not queued yet: it will enqueue with the new priority.
      if (queuedAt === undefined) request.priority = priority;
      else queuedAt.raise?.(request, priority);
    }
  }
}
