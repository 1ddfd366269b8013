import type { Setting } from '../../distributed/contender.ts';

export interface RedisSetting extends Setting {
  /** The commands that `raw` sends instead of an acquire and a release. */
  commands?: readonly Command[];
  /** Whether the port is that of a node of a cluster. */
  isCluster?: boolean;
  /** The ports of several servers, over which the names are spread. Default: one server. */
  ports?: readonly number[];
}

/** A command as passed to a client: its name and its arguments. */
export type Command = readonly [name: string, ...args: string[]];
