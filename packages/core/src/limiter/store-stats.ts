/** State of a limit in its store. */
export interface StoreStats {
  readonly limit: number;
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
