/** How the store has behaved towards the limiters of this process. Counts are totals since the store was created. */
export interface StoreActivity {
  /** Whether the store is available to all its limits. */
  readonly up: boolean;
  /** Whether its messages do not arrive, so that waiters are granted later. */
  readonly muted: boolean;
  /** Whether it keeps getting slower. */
  readonly slowed: boolean;
  /** Number of calls. One call carries all operations of an event-loop iteration. */
  readonly calls: number;
  /** Operations that the store has refused or not answered. */
  readonly errors: number;
  /** Expired leases, of any process, that this process has removed. */
  readonly reclaimed: number;
  /** Permits of this process that have lost their lease. */
  readonly lost: number;
  /** Moving average of the last round trips in milliseconds; undefined before the first. */
  readonly roundTrip: number | undefined;
}
