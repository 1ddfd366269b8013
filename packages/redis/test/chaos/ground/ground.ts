import type { FaultyProxy, RedisServer } from '@headgate/test-servers';
import type { Fault } from '../faults/fault.ts';

/** The servers of a scene, and the ways to them. */
export interface Ground {
  readonly cluster: boolean;
  /** Those which take writes now. */
  readonly nodes: readonly RedisServer[];
  /** The way of each worker to the server; none where there are several servers. */
  readonly proxies: readonly FaultyProxy[];
  /** What can befall only this one. */
  readonly faults: readonly Fault[];
  portsOf(slot: number): readonly number[];
  /** Resolves when all servers serve again: a cluster needs a while to agree that it is whole. */
  recovered(): Promise<void>;
  stop(): Promise<void>;
}
