import { checkChoice } from '../checks.ts';

/** The highest first. */
export const priorities = ['critical', 'high', 'normal', 'low', 'sheddable'] as const;

/** How much a request matters while it waits, and to a guard; `critical` is the highest. */
export type Priority = (typeof priorities)[number];

/** From 0 for the highest; none at all is below them all. */
export function rank(priority: Priority | undefined): number {
  return priority === undefined ? priorities.length : priorities.indexOf(priority);
}

export function isHigher(one: Priority | undefined, other: Priority | undefined): boolean {
  return rank(one) < rank(other);
}

/** @throws HeadgateError for what is none. */
export function checkPriority(priority: unknown): Priority {
  return checkChoice('priority', priority, priorities);
}
