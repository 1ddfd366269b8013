/** State of a limit in its store. */
export interface StoreStats {
  /** The limit that applies, as weight; 0 if the store does not know the limit. */
  readonly limit: number;
  /** When that limit was declared or set, by the clock of the store. Empty if the store does not know the limit. */
  readonly version: string;
  /** Weight held, over all processes. */
  readonly inflight: number;
  /** Number of held leases, over all processes. */
  readonly holders: number;
  /** Number of waiters, over all processes. */
  readonly queued: number;
  /** Milliseconds for which the oldest waiter has been queued. */
  readonly longestWait: number;
  /** Number of processes that hold or await a lease. */
  readonly processes: number;
}
