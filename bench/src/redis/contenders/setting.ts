import type { Setting } from '../../sharing/contender.ts';

export interface RedisSetting extends Setting {
  /** What `raw` sends in place of an acquire and of a release. */
  commands?: readonly Command[];
}

/** A command as a client is told it: its name and its arguments. */
export type Command = readonly [name: string, ...args: string[]];
