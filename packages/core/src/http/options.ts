import type { Clock } from '../clock.ts';
import type { Guard } from '../gate/guard.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Order } from '../limiter/line.ts';
import type { Observer } from '../limiter/observer.ts';
import type { Outcome } from '../limiter/permit.ts';
import type { Priority } from '../limiter/priority.ts';
import type { Rejection } from '../limiter/rejection.ts';
import type { NameOfStore, SharedOptions } from '../limiter/source.ts';
import type { LimitFactory } from '../limits/limit.ts';

/** What one limit can be told, `R` being what the framework calls a request. */
interface LimitRule<R> {
  /** Whose limit it is: each key has a count and a line of its own. Undefined: the limit does not apply. */
  key?: ((request: R) => string | undefined) | undefined;
  /** Applies only to this: an optional method and a pattern of the full path, `POST /reports/:id`. */
  route?: string | undefined;
  /** How much of the limit a request takes; clamped to 1…limit. Default: 1. */
  weight?: number | ((request: R) => number) | undefined;
  /** The name of the share that a request belongs to; undefined: none. Needed beside `shares`. */
  shareBy?: ((request: R) => string | undefined) | undefined;
  /** The status of the answer when this limit refuses. Default: 503. */
  statusCode?: number | undefined;
}

/** A limit of this middleware's own. */
interface OwnRule<R> extends LimitRule<R>, Omit<SharedOptions, 'store'> {
  /** The most weight in flight at once, per key where keyed; a keyed one may depend on the request, another adapt. */
  limit: number | LimitFactory | ((request: R) => number);
  limiter?: undefined;
  /**
   * Parts of the limit that are guaranteed, by name, together at most 1: `{ gold: 0.6, free: 0.3 }`. Others borrow what
   * a part does not use; a place that comes free goes to who holds less than its part. Default: all is for all.
   */
  shares?: Readonly<Record<string, number>> | undefined;
  /** The most weight that may wait for this limit (per key where keyed). Default: Infinity. */
  queueWeight?: number | undefined;
}

/** Its name is needed within `limits`, and with a `store`; the default of a single limit is `'default'`. */
type OwnLimit<R> = OwnRule<R> & NameOfStore;

/** A limiter that is shared with other routes or with work outside HTTP: the rest is its own affair. */
type SharedLimit<R> = LimitRule<R> & { limiter: Limiter } & {
  [Name in Exclude<keyof OwnLimit<R>, keyof LimitRule<R> | 'limiter'>]?: undefined;
};

export type LimitOptions<R> =
  | (OwnLimit<R> & {
      /** How many may wait for this limit (per key where keyed), besides the `queueLimit` of the whole. */
      queueLimit?: number | undefined;
    })
  | (SharedLimit<R> & { queueLimit?: undefined });

/** `Args` are the framework's own arguments, `Result` what its handlers return, `Reply` what tells of the response. */
export interface CommonOptions<R, Args extends readonly unknown[], Result, Reply> {
  /**
   * How many requests may wait; Infinity is allowed. Default: 0, or the shared limiter's own; for one limit beside
   * `queueWeight`, as many as that allows.
   */
  queueLimit?: number | undefined;
  /** Milliseconds that a request may wait. Default: 2,000, or the shared limiter's own. */
  queueTimeout?: number | undefined;
  /** Lets a request past, uncounted. CORS preflights are always let past. */
  skip?: ((request: R) => boolean) | undefined;
  /**
   * Answers in place of Headgate; it may call `next` to let the handler serve something cheaper. Where it returns
   * `false`, or a promise of that, Headgate answers after all.
   */
  onReject?: ((rejection: Rejection, ...args: Args) => Result) | undefined;
  /**
   * How much a request matters: while it waits, in a full line, and to a guard. A client's own claim counts only if
   * this function reads it. Default: all are alike.
   */
  priority?: ((request: R) => Priority) | undefined;
  /**
   * Whom a request is for. Those that wait on behalf of different parties take turns, counted by weight; memory stays
   * bounded however many names clients invent. Default: no turns.
   */
  fairBy?: ((request: R) => string) | undefined;
  /**
   * Asked before the limits, once for each request, by its `priority`: `eventLoopGuard()` of `@headgate/core/node`.
   * There need not be a limit then. Default: none.
   */
  guard?: Guard | undefined;
  /** Who is next, with `priority` and `fairBy` among equals: `fifo()`, `lifo()` or `codel()`. Default: `fifo()`. */
  order?: Order | undefined;
  /**
   * For a limit that adapts: how the work went, by the response when that is over. `dropped` says that it failed of
   * overload, `ignored` that its duration says nothing. Default: `ok`.
   */
  classify?: ((response: Reply) => Outcome) | undefined;
  /**
   * `shadow` lets everything pass and reports what would have been turned away: as `full` by a limit, as `overloaded`
   * by a guard. Default: `enforce`.
   */
  mode?: 'enforce' | 'shadow' | undefined;
  /** Adds `RateLimit-Policy`, `RateLimit` and `Server-Timing` to responses. Default: false. */
  headers?: boolean | undefined;
  /** Milliseconds, more than 0, after which a permit is taken back and reported. Default: never. */
  maxHold?: number | undefined;
  /**
   * A client has gone while its request is handled: `wait` holds the place until the handler is done, as far as the
   * framework tells; `release` frees it at once. Default: `wait`.
   */
  onDisconnect?: 'wait' | 'release' | undefined;
  /** The most that `Retry-After` says, in seconds: a whole number from 1. Default: 60. */
  maxRetryAfter?: number | undefined;
  /** Whether `route` tells `/A` from `/a`. Default: as the framework does. */
  caseSensitive?: boolean | undefined;
  /** Whether `route` tells `/a/` from `/a`. Default: as the framework does. */
  strict?: boolean | undefined;
  /** Receives events. Default: none. */
  observer?: Observer | undefined;
  /** Default: `performance.now()` and the runtime's timers. */
  clock?: Clock | undefined;
  /** From 0 to below 1, for jitter. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

/** A guard alone. */
type NoLimit = { guard: Guard } & {
  [Name in keyof OwnLimit<never> | 'limits']?: undefined;
};

/** One limit written plainly, or several that a request must pass together; or none, but a guard. */
export type HttpOptions<R, Args extends readonly unknown[], Result, Reply> = CommonOptions<
  R,
  Args,
  Result,
  Reply
> &
  (
    | ((OwnLimit<R> | SharedLimit<R>) & { limits?: undefined })
    | { limits: readonly LimitOptions<R>[]; limit?: undefined; limiter?: undefined }
    | NoLimit
  );
