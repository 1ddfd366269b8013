import type { Setting } from './contenders/contender.ts';

/** The one whose figures are asked for, and what it can do besides. */
export const ours = 'headgate';
export const handingOff = 'headgate, handoff: 10';
export const reserving = 'headgate, reserve: 2';

/** The bound. */
export const bound = 'minimal';
export const others = [bound, 'redis-semaphore', 'bottleneck'];

export type Contestant = Pick<Setting, 'contender'> & Partial<Setting>;
