import { checkChoice } from '../checks.ts';

/** All priorities, highest first. */
export const priorities = ['critical', 'high', 'normal', 'low', 'sheddable'] as const;

/** Priority of a request in the queue and for a guard; `critical` is the highest. */
export type Priority = (typeof priorities)[number];

/** 0 for the highest priority; undefined ranks below all others. */
export function rank(priority: Priority | undefined): number {
  return priority === undefined ? priorities.length : priorities.indexOf(priority);
}

export function isHigher(one: Priority | undefined, other: Priority | undefined): boolean {
  return rank(one) < rank(other);
}

/** @throws HeadgateError for a value that is not a priority. */
export function checkPriority(priority: unknown): Priority {
  return checkChoice('priority', priority, priorities);
}

/** A request whose priority may be raised. */
export interface Prioritized {
  priority: Priority;
  /** The semaphore at which it is queued; it may be another object. */
  readonly queuedAt: object | undefined;
}

/**
 * Priority inheritance (Sha, Rajkumar and Lehoczky, 1990). Tracks the requests that hold permits of one semaphore
 * while they are queued at a later limit of the same gate. When a higher-priority waiter joins this semaphore's queue,
 * those requests inherit its priority; without that, one low-priority request could block a narrow limit for every
 * higher class.
 */
export class PriorityInheritance {
  readonly #requests = new Set<Prioritized>();

  track(request: Prioritized): void {
    this.#requests.add(request);
  }

  untrack(request: Prioritized): void {
    this.#requests.delete(request);
  }

  /** Raises every tracked request to at least `priority`. */
  raiseTo(priority: Priority): void {
    // Copied first: raising a request can admit it, which untracks it.
    for (const request of [...this.#requests]) {
      if (!this.#requests.has(request) || !isHigher(priority, request.priority)) continue;
      const { queuedAt: place } = request;
      // Not queued yet: it will enqueue with the new priority.
      if (place === undefined) request.priority = priority;
      else if ('raise' in place) (place as Raises).raise(request, priority);
    }
  }
}

interface Raises {
  raise(request: Prioritized, priority: Priority): void;
}
