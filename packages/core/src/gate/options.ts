import type { DistributedOptions } from '../limiter/distributed-options.ts';
import type { GuardStats } from '../limiter/gate-guard.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { CommonOptions, LimiterOptions } from '../limiter/options.ts';
import type { Priority } from '../semaphore/priority.ts';
import type { Order } from '../semaphore/queue.ts';

/** A limit of a gate: a reused limiter, or the options of one that the gate makes and closes. */
export type GateLimitOptions = {
  /** Whether the limit applies only to requests that set a weight for it. Default: false. */
  optional?: boolean | undefined;
} & (
  | {
      /** A reused limiter. The gate does not close it. */
      limiter: Limiter;
    }
  | (DistributedOptions &
      Pick<LimiterOptions, 'limit' | 'queueWeight'> & {
        limiter?: undefined;
        /** Names the limit in rejections, statistics and events; unique within the gate. */
        name: string;
        /** Whether each key has its own limit; the limit then applies only to requests with a key. Default: false. */
        perKey?: boolean | undefined;
        /**
         * Maximum number queued for this limit, per key if keyed, in addition to the gate's `queueLimit`. Default:
         * Infinity.
         */
        queueLimit?: number | undefined;
        /** Order of this limit's queue. Default: the gate's. */
        order?: Order | undefined;
      })
);

/**
 * Admits or sheds requests before the limits of a gate, depending on the state of a resource: `guard()`, or your own.
 * Several gates may use the same guard.
 */
export interface Guard {
  /** Identifies the guard in rejections; visible to clients. */
  readonly name: string;
  /** Whether a request of this priority may proceed to the limits. Called once for each request. */
  admits(priority: Priority): boolean;
  /**
   * The guard's state, for the statistics of a gate. An error thrown here becomes the warning `HEADGATE_STATS`.
   * Default: none.
   */
  stats?(): GuardStats;
}

/** Options of `createGate`: several limits that a caller acquires as one admission. */
export interface GateOptions extends CommonOptions {
  /**
   * The limits, acquired in this order: keyed limits first, then optional ones, then those that apply to every request.
   * May be empty if there is a guard.
   */
  limits: readonly GateLimitOptions[];
  /**
   * Admits or sheds each request by its priority, before the limits: `guard()`, or your own. With a guard, no limit is
   * required. Default: none.
   */
  guard?: Guard | undefined;
  /** Default: the names of its limits joined by `+`, or the guard's name if there is no limit. */
  name?: string | undefined;
  /**
   * `shadow` admits every request, and simulates what the limits would have done, and other limits: `stats().shadow`
   * and `suggestion`. Not with a reused limiter or a store. Default: `enforce`.
   */
  mode?: 'enforce' | 'shadow' | undefined;
}
