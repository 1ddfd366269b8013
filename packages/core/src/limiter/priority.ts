import { checkChoice } from '../checks.ts';

/** Classes of those who wait, the highest first. */
export const priorities = ['critical', 'high', 'normal', 'low', 'sheddable'] as const;

export type Priority = (typeof priorities)[number];

/** From 0 for the highest; none at all is below them all. */
export function rank(priority: Priority | undefined): number {
  return priority === undefined ? priorities.length : priorities.indexOf(priority);
}

export function isHigher(one: Priority | undefined, other: Priority | undefined): boolean {
  return rank(one) < rank(other);
}

/** @throws HeadgateError for what is none. */
export function checkPriority(priority: unknown = 'normal'): Priority {
  return checkChoice('priority', priority, priorities);
}
