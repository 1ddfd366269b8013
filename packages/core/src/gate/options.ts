import type { Clock } from '../clock.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { DistributedOptions } from '../limiter/source.ts';
import type { LimitFactory } from '../limits/limit.ts';
import type { Observer } from '../semaphore/observer.ts';
import type { HoldSettings } from '../semaphore/permit-tracker.ts';
import type { Order } from '../semaphore/queue.ts';
import type { Guard } from './guard.ts';

/** A limit of a gate: a reused limiter, or the options of one that the gate makes and closes. */
export type GateLimitOptions = {
  /** Whether the limit applies only to requests that set a weight for it. Default: false. */
  optional?: boolean | undefined;
} & (
  | {
      /** A reused limiter, which the gate does not close. */
      limiter: Limiter;
    }
  | (DistributedOptions & {
      limiter?: undefined;
      name: string;
      /** Maximum weight in flight, per key if keyed: a whole number from 1, or without keys `adaptive()`. */
      limit: number | LimitFactory;
      /** Whether each key has its own limit; the limit then applies only to requests with a key. Default: false. */
      perKey?: boolean | undefined;
      /**
       * Maximum number queued for this limit, per key if keyed, in addition to the gate's `queueLimit`. Default:
       * Infinity.
       */
      queueLimit?: number | undefined;
      /** Maximum weight queued for this limit, per key if keyed. Default: Infinity. */
      queueWeight?: number | undefined;
      /** Order of this limit's queue. Default: the gate's. */
      order?: Order | undefined;
    })
);

export interface GateOptions {
  /**
   * Acquired in this order: keyed limits first, then optional ones, then those that apply to every request. May be
   * empty if there is a guard.
   */
  limits: readonly GateLimitOptions[];
  /**
   * Asked before the limits: `eventLoopGuard()` of `@headgate/core/node`. With a guard, no limit is required.
   * Default: none.
   */
  guard?: Guard | undefined;
  /** Default: the names of its limits joined by `+`, or the guard's name if there is no limit. */
  name?: string | undefined;
  /**
   * Maximum number of queued requests, over all limits; Infinity is allowed. Default: 0, or for a gate of one reused
   * limiter that limiter's own.
   */
  queueLimit?: number | undefined;
  /** Maximum wait of a request over all limits, in milliseconds. Default: 2,000, or the only reused limiter's own. */
  queueTimeout?: number | undefined;
  /**
   * Order of the queues that the gate makes: `fifo()`, `lifo()`, `codel()`, optionally wrapped in `fair()`,
   * `byPriority()` or `byShare()`. Default: `fifo()`.
   */
  order?: Order | undefined;
  /**
   * `shadow` admits every request and reports what would have been rejected: as `full` by a limit, as `overloaded` by
   * a guard. Default: `enforce`.
   */
  mode?: 'enforce' | 'shadow' | undefined;
  /** Milliseconds, more than 0, after which a permit is released and reported. Default: never. */
  maxHold?: number | undefined;
  /** Maximum `Retry-After` in seconds: a whole number from 1. Default: 60. */
  maxRetryAfter?: number | undefined;
  /** Receives events. Default: none. */
  observer?: Observer | undefined;
  /** Default: `performance.now()` and the runtime's timers. */
  clock?: Clock | undefined;
  /** From 0 to below 1, for jitter. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

/** The options of `createGate`, validated and with defaults applied. */
export interface GateSettings extends HoldSettings {
  readonly queueLimit: number;
  readonly queueTimeout: number;
  readonly mode: 'enforce' | 'shadow';
  readonly maxRetryAfter: number;
  readonly random: () => number;
}
