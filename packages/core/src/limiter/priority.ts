import { checkChoice } from '../checks.ts';

/** Classes of those who wait, the highest first. */
export const priorities = ['critical', 'high', 'normal', 'low', 'sheddable'] as const;

export type Priority = (typeof priorities)[number];

/** @throws HeadgateError for what is none. */
export function checkPriority(priority: unknown = 'normal'): Priority {
  return checkChoice('priority', priority, priorities);
}
