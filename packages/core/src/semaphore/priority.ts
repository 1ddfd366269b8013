import { checkChoice } from '../checks.ts';

/** All priorities, highest first. */
export const priorities = ['critical', 'high', 'normal', 'low', 'sheddable'] as const;

/** Priority of a request in the queue, and for a guard. `critical` is the highest. */
export type Priority = (typeof priorities)[number];

/** 0 for the highest priority. */
export function rank(priority: Priority): number {
  return priorities.indexOf(priority);
}

export function isHigher(one: Priority, other: Priority): boolean {
  return rank(one) < rank(other);
}

/** @throws HeadgateError for a value that is not a priority. */
export function checkPriority(priority: unknown): Priority {
  return checkChoice('priority', priority, priorities);
}
