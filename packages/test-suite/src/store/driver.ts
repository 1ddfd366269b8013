import type { Capabilities, Store } from '@headgate/store-kit';

/** Connects the suite to a kind of store. All its stores use one state, which is empty at first. */
export interface StoreDriver {
  /** The kind of store, for the titles of the tests. */
  readonly name: string;
  /** The capabilities of its stores. What they lack is not tested. Default: `{ recall: true }`. */
  readonly can?: Capabilities | undefined;
  /**
   * Limits the suite to these topics. Use it for another client library of a store that is tested in full elsewhere.
   * Default: all topics.
   */
  readonly topics?: readonly string[] | undefined;
  /** Makes a store as another process would: the stores share nothing but the state. The suite closes it. */
  connect(times: SuiteTimes): Store | Promise<Store>;
  /** Maximum length of a name in characters, if the store has one. */
  readonly longestName?: number | undefined;
  /** Milliseconds of a lease that a test lets expire. Make it short if tests run in real time. Default: 600. */
  readonly leaseDuration?: number | undefined;
  /** Advances the time of the store and its leases. Default: waits in real time. */
  elapse?(milliseconds: number): void | Promise<void>;
  /**
   * Sets the clock of the store back by this many milliseconds, or adds them to the end of each lease. If it is missing,
   * such a clock is not tested.
   */
  setBack?(milliseconds: number): unknown;
  /** Deletes the state, as a restart does. If it is missing, lost state is not tested. */
  wipe?(): void | Promise<void>;
  /** Makes the store hang until the returned function is called. If it is missing, hanging is not tested. */
  hang?(): (() => void) | Promise<() => void>;
  /**
   * Ends the connections to the store, and refuses others until the returned function is called. If it is missing,
   * short restarts are not tested.
   */
  refuse?(): (() => void) | Promise<() => void>;
}

/** The times with which the suite makes a store. */
export interface SuiteTimes {
  /** Milliseconds. */
  readonly leaseDuration: number;
  /** Milliseconds. */
  readonly timeout: number;
}
