import type { QueueStats } from '../semaphore/queue.ts';
import type { RejectionReason } from '../semaphore/rejection.ts';
import type { ShadowStats, Suggestion } from '../semaphore/shadow-stats.ts';
import type { GuardStats } from './gate-guard.ts';

/**
 * Statistics that a limiter, a gate and a middleware have in common. The values from `admitted` to `leaked` are totals
 * since it was created.
 */
interface CommonStats {
  /** Name of the limiter, the gate or the middleware. */
  readonly name: string;
  /** Number of permits held now, regardless of their weight. */
  readonly holders: number;
  /** Number of these permits whose clients have left. Their handlers still run, as far as known. */
  readonly abandoned: number;
  /** Number of waiters now. */
  readonly queued: number;
  /** Milliseconds for which the oldest waiter has been queued. */
  readonly longestWait: number;
  /** Requests that received a permit, at once or after a wait. */
  readonly admitted: number;
  /** Requests that were rejected, by the reason. */
  readonly rejected: Readonly<Record<RejectionReason, number>>;
  /** Requests that would have been rejected, but that shadow mode admitted. They are not in `rejected`. */
  readonly wouldReject: Readonly<Record<RejectionReason, number>>;
  /** Waiters that were withdrawn before they were admitted or rejected. */
  readonly withdrawn: number;
  /** Permits that were released because `maxHold` had passed. */
  readonly leaked: number;
  /**
   * What the limit would have done since shadow mode began; approximate for the default limit under overload. Undefined
   * without shadow mode, for a limit with a store, and for each limit of a gate with several limits, since the gate
   * simulates them together.
   */
  readonly shadow?: ShadowStats | undefined;
  /**
   * What other values of the limit would have done in shadow mode. Undefined if that cannot be simulated, as with a
   * default limit, and for a gate of several limits.
   */
  readonly suggestion?: Suggestion | undefined;
  /**
   * State of a distributed limit. All other values describe this process only. Undefined for a gate of several limits.
   */
  readonly distributed?: DistributedStats | undefined;
  /** State of the guard, if there is one. */
  readonly guard?:
    | (GuardStats & {
        /** Name of the guard. */
        readonly name: string;
      })
    | undefined;
}

/** Statistics of a limiter. */
export interface LimiterStats extends CommonStats, QueueStats {
  /** Undefined, since these statistics are those of its only limit. */
  readonly limits?: undefined;
  /** Maximum weight in flight at once, per key if keyed. */
  readonly limit: number;
  /**
   * Why an adaptive limit last changed. `used`: it was used up, and work was not slow. `slower`: work was slow.
   * `did not help`: work was as slow under a lower limit. `dropped`: work reported an overload. `recovered`: work is no
   * longer slow or dropped. `stuck`: work does not finish. Undefined until it changes, while it is set, and for other
   * limits.
   */
  readonly limitReason?: string | undefined;
  /**
   * Milliseconds that work takes without load, as the mean over all kinds of work. Undefined unless an adaptive limit
   * has measured it.
   */
  readonly baseline?: number | undefined;
  /** Weight that counts against the limit now. The default limit does not count requests that only wait for their client. */
  readonly inflight: number;
  /**
   * Highest weight in flight so far. For a keyed limit, it is the highest weight of a single key. For a distributed
   * limit, it covers all processes, as far as this process has observed them.
   */
  readonly inflightPeak: number;
  /**
   * Number of requests admitted at each weight in flight, which includes the request itself. The buckets are 1, 2, 3 to
   * 4, 5 to 8, and so on. Keyed and distributed limits are treated as in `inflightPeak`.
   */
  readonly inflightHistogram: readonly number[];
  /**
   * Milliseconds after which a waiter times out now, because later answers have come too late for their clients. The
   * shortest of all keys. Undefined while nothing is learned.
   */
  readonly learnedTimeout?: number | undefined;
  /**
   * Milliseconds until the pause of `refused` or `pauseFor` ends; the longest of all keys. Undefined if there is none.
   */
  readonly pausedFor?: number | undefined;
  /** Keys in use now; 0 if the limiter is not keyed. */
  readonly keys: number;
}

/** Statistics of a gate. */
export interface GateStats extends CommonStats {
  /** Statistics of each limit, in the gate's order. */
  readonly limits: readonly LimiterStats[];
}

/** Statistics of a limiter, a gate or a middleware. `stats.limits ?? [stats]` are the statistics of each limit. */
export type Stats = LimiterStats | GateStats;

/** State of a distributed limit, as this process knows it. */
export interface DistributedStats {
  /** Whether the store is available. */
  readonly up: boolean;
  /** The weight that this process declares as the limit. Another process may have declared or set the limit that applies. */
  readonly declared: number;
  /** Weight held by all processes, as the store last reported it; undefined if the limit is per key. */
  readonly inflight: number | undefined;
  /** Number of waiters of all processes, as the store last reported it; undefined if the limit is per key. */
  readonly queued: number | undefined;
  /** Expired leases, of any process, that this process has removed. */
  readonly reclaimed: number;
  /** Permits of this process that have lost their lease. */
  readonly lost: number;
  /** Moving average of the last round trips to the store, in milliseconds; undefined before the first. */
  readonly roundTrip: number | undefined;
}

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
