import { checkChoice } from '../checks.ts';
import type { RejectionCause } from './rejection.ts';

/** All priorities, highest first. */
export const priorities = ['critical', 'high', 'normal', 'low', 'sheddable'] as const;

/** Priority of a request in the queue, and for a guard. `critical` is the highest. */
export type Priority = (typeof priorities)[number];

/** 0 for the highest priority. Undefined ranks below all others. */
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

/** The object at which a waiter is queued. */
export type QueuedAt = object & {
  /** Raises the priority of the waiter. */
  raise?(waiter: SuspendedRequest, priority: Priority): void;
};

/** A request that holds permits of some limits of a gate while it is queued at a later one. */
export interface SuspendedRequest {
  priority: Priority;
  readonly queuedAt: QueuedAt | undefined;
  /** Called when one of its permits has lost its lease. */
  leaseLost?(cause: RejectionCause): void;
}

/** The requests that inherit a priority from the waiters of one semaphore. */
export interface Inheritance {
  track(request: SuspendedRequest): void;
  untrack(request: SuspendedRequest): void;
  /** Raises every tracked request to at least `priority`. */
  raiseTo(priority: Priority): void;
}
