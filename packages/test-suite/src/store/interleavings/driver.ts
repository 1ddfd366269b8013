import type { Store } from '@headgate/store-kit';
import type { SuiteTimes } from '../driver.ts';
import type { Network } from './network.ts';

/** Connects the interleaving suite to a kind of store. Its server must run in this process, or step by step. */
export interface InterleavingDriver {
  /** The kind of store, for the titles of the tests. */
  readonly name: string;
  /** Starts a server with an empty state and this limit, for one run. */
  start(options: InterleavingOptions): InterleavingServer | Promise<InterleavingServer>;
  /** Advances the time of the server and of all stores. Default: advances vitest's fake timers. */
  elapse?(milliseconds: number): Promise<void>;
  /** Resolves when a server in another process has processed everything that has reached it. Default: immediately. */
  settled?(): Promise<void>;
  /** Number of runs. Make it lower for a server that takes long for each step. Default: 200. */
  readonly runs?: number | undefined;
}

/** The limit of one run, and its network. */
export interface InterleavingOptions {
  /** Carries all messages between the stores and the server. */
  readonly network: Network;
  /** Name of the limit. */
  readonly name: string;
  /** Maximum weight in flight at once. */
  readonly limit: number;
}

/** The server of one run. */
export interface InterleavingServer {
  /** Makes a store as another process would. The suite closes it. */
  connect(times: SuiteTimes): Store;
  /** The server's counts: the weight held, and the number of waiters. */
  count(): Promise<{
    /** Weight held, over all stores. */
    readonly inflight: number;
    /** Number of waiters, over all stores. */
    readonly queued: number;
  }>;
  /** Ends the server after the run. Default: nothing needs to be ended. */
  close?(): Promise<void>;
}
