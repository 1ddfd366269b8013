import type { Clock } from '../clock.ts';
import type { HoldSettings } from '../limiter/ledger.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Order } from '../limiter/line.ts';
import type { Observer } from '../limiter/observer.ts';
import type { SharedOptions } from '../limiter/source.ts';
import type { LimitFactory } from '../limits/limit.ts';
import type { Guard } from './guard.ts';

/** A limit of a gate: a limiter that is shared with others, or the options of one that the gate makes and closes. */
export type GateLimitOptions = {
  /** Applies only to who names a weight for it. Default: false. */
  optional?: boolean | undefined;
} & (
  | {
      /** Shared with others; the gate does not close it. */
      limiter: Limiter;
    }
  | (SharedOptions & {
      limiter?: undefined;
      name: string;
      /**
       * The most weight in flight at once, per key where keyed: a whole number from 1, or without keys `adaptive()`.
       */
      limit: number | LimitFactory;
      /** Every key has the limit to itself; it applies to who names one. Default: false. */
      perKey?: boolean | undefined;
      /**
       * How many may wait for this limit (per key where keyed), besides the gate's own `queueLimit`. Default: Infinity.
       */
      queueLimit?: number | undefined;
      /** The most weight that may wait for this limit (per key where keyed). Default: Infinity. */
      queueWeight?: number | undefined;
      /** In which order they are let in here. Default: the gate's. */
      order?: Order | undefined;
    })
);

export interface GateOptions {
  /**
   * Passed in this order: keyed ones first, then optional ones, then those that apply to all. Beside a guard there need
   * be none.
   */
  limits: readonly GateLimitOptions[];
  /**
   * Asked before the limits, which there need not be then: `eventLoopGuard()` of `@headgate/core/node`. Default: none.
   */
  guard?: Guard | undefined;
  /** Default: the names of its limits, joined by `+`, or that of the guard where there is no limit. */
  name?: string | undefined;
  /**
   * How many requests may wait, at whichever limit; Infinity is allowed. Default: 0, or for a gate of one
   * shared limiter that limiter's own.
   */
  queueLimit?: number | undefined;
  /** Milliseconds that a request may wait on its whole way. Default: 2,000, or the only shared limiter's own. */
  queueTimeout?: number | undefined;
  /**
   * In which order they are let in, at each limit of the gate's own: `fifo()`, `lifo()`, `codel()`, and around one of
   * these `byParty()`, `byPriority()`, `byShare()`. Default: `fifo()`.
   */
  order?: Order | undefined;
  /**
   * `shadow` lets everything pass and reports what would have been turned away: as `full` by a limit, as `overloaded`
   * by a guard. Default: `enforce`.
   */
  mode?: 'enforce' | 'shadow' | undefined;
  /** Milliseconds, more than 0, after which a permit is taken back and reported. Default: never. */
  maxHold?: number | undefined;
  /** The most that `Retry-After` says, in seconds: a whole number from 1. Default: 60. */
  maxRetryAfter?: number | undefined;
  /** Receives events. Default: none. */
  observer?: Observer | undefined;
  /** Default: `performance.now()` and the runtime's timers. */
  clock?: Clock | undefined;
  /** From 0 to below 1, for jitter. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

/** What `createGate` has checked and completed. */
export interface GateSettings extends HoldSettings {
  readonly queueLimit: number;
  readonly queueTimeout: number;
  readonly mode: 'enforce' | 'shadow';
  readonly maxRetryAfter: number;
  readonly random: () => number;
}
