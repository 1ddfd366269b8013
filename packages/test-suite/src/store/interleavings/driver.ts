import type { Store } from '@headgate/core/shared';
import type { SuiteTimes } from '../driver.ts';
import type { Network } from './network.ts';

/** How the suite of interleavings reaches a kind of store, whose server is in this process or can be stepped. */
export interface InterleavingDriver {
  readonly name: string;
  /** A server with an empty state and this limit, for one run. */
  start(options: InterleavingOptions): InterleavingServer | Promise<InterleavingServer>;
  /** Time passes, for the server and for all stores. Default: vitest's fake timers go on. */
  elapse?(milliseconds: number): Promise<void>;
  /** Resolves when a server in another process has done what has reached it. Default: at once. */
  settled?(): Promise<void>;
  /** Default: 200. Fewer for a server that takes a while for each step. */
  readonly runs?: number | undefined;
}

export interface InterleavingOptions {
  /** Carries everything between the stores and the server. */
  readonly network: Network;
  /** Of the limit. */
  readonly name: string;
  readonly limit: number;
}

export interface InterleavingServer {
  /** A store as another process would have it. The suite closes it. */
  connect(times: SuiteTimes): Store;
  /** What the server counts: the weight that is held, and what is queued. */
  count(): Promise<{ readonly inflight: number; readonly queued: number }>;
  close?(): Promise<void>;
}
