import type { Observer, Operation } from '../semaphore/observer.ts';
import type { BasePermit, Permit } from '../semaphore/permit.ts';
import type { CloseOptions } from '../semaphore/permit-tracker.ts';
import type { Rejection, RejectionCause, RejectionReason } from '../semaphore/rejection.ts';
import type { Ordering } from '../semaphore/semaphore.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { AcquireOptions, WaitOptions } from './acquire-options.ts';
import type { GateGuard } from './gate-guard.ts';
import type { LimiterStats, Stats, StoreStats } from './stats.ts';

/**
 * `paused`: new requests are queued, and none is admitted. `rejecting`: new requests are rejected as `closed`. `closed`:
 * the same, but it cannot be undone. A closed limiter in shadow mode without a store still admits requests.
 */
export type LimiterState = 'open' | 'paused' | 'rejecting' | 'closed';

/** What a limiter, a gate and a middleware have in common. */
export interface Handle {
  /** Name in rejections, statistics and events. */
  readonly name: string;
  /** Whether it has been closed. It then rejects every request, except in shadow mode without a store. */
  readonly closed: boolean;
  /** Number of permits held now, regardless of their weight. */
  readonly holders: number;
  /** Number of waiters now. */
  readonly queued: number;
  /** Its limiters by name, for example to resize them. A limiter has only itself. */
  readonly limiters: Readonly<Record<string, Limiter>>;
  /** The guard, if it has one. */
  readonly guard?: GateGuard | undefined;
  /** Returns all numbers, as they are now. Counters are totals since it was created. */
  stats(): Stats;
  /**
   * Adds an observer, and returns a function that removes it. It receives all later events, including those of requests
   * that have already arrived. A gate reports each request once; its own limiters report only events of the limit
   * itself, such as `resized`.
   *
   * @throws HeadgateError unless `observer` is an object of known callbacks.
   */
  observe(observer: Observer): () => void;
  /**
   * Rejects new and queued requests, and closes its own limiters; reused ones stay open. Resolves to 0 when the last
   * permit has been released. When the timeout has passed or the signal aborts, it aborts the signals of the permits
   * still held, and resolves to the number of these permits. For an invalid option, it rejects with a `HeadgateError`
   * and closes nothing.
   */
  close(options?: CloseOptions): Promise<number>;
}

/** Enforces a limit. */
export interface Limiter extends Handle {
  /** Whether every request needs a key. */
  readonly perKey: boolean;
  /** Whether the limit is counted in a store. Most requests then wait for its answer, and there is no `tryAcquire`. */
  readonly isDistributed: boolean;
  /** Whether the limit is adaptive. */
  readonly isAdaptive: boolean;
  /** Whether it admits requests. */
  readonly state: LimiterState;
  /** `shadow`: requests beyond the limit are admitted, and what the limit would have done is simulated if possible. */
  readonly mode: 'enforce' | 'shadow';
  /** Whether no algorithm changes the limit now: it is not adaptive, or `setLimit` holds it. */
  readonly isFixed: boolean;
  /** The operations that it supports. The method of any other operation throws. */
  readonly operations: readonly Operation[];
  /** Names of the shares that the limit is divided into. */
  readonly shareNames: readonly string[];
  /** Maximum number of waiters, per key if keyed. */
  readonly queueLimit: number;
  /** Maximum total weight of the waiters, per key if keyed. */
  readonly queueWeight: number;
  /** Maximum wait in milliseconds of a request without its own `queueTimeout`. */
  readonly queueTimeout: number;
  /** Maximum weight in flight at once, per key if keyed. `setLimit` or an adaptive limit may change it. */
  readonly limit: number;
  /** Weight that counts against the limit now. The default limit does not count requests that only wait for their client. */
  readonly inflight: number;
  /**
   * Grants or rejects the waiter exactly once, now or later.
   *
   * @throws HeadgateError for an invalid weight, key or option of the waiter, and for a waiter that is already queued.
   */
  request(waiter: Waiter): void;
  /** Removes the waiter from the queue without an answer; does nothing if it is not queued here. */
  withdraw(waiter: Waiter): void;
  /**
   * Rejects a waiter that is queued here; ignores other waiters. With a `cause`, another limit is named as the reason.
   */
  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void;
  /**
   * Resolves to a permit. Rejects with a `RejectedError` if the limiter rejects the request, with a `StoreError` if its
   * store is the cause, with the signal's reason if the signal aborts, and with a `HeadgateError` for an invalid
   * option. Before it rejects with a `RejectedError`, the event loop runs (on Workers, unless the request was queued), so
   * a caller may try again at once.
   */
  acquire(options?: WaitOptions): Promise<Permit>;
  /**
   * Acquires a permit, calls `fn`, and releases the permit when `fn` has settled. Rejects if `acquire` or `fn` does.
   */
  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: WaitOptions): Promise<T>;
  /**
   * Changes the limit, for every key in use. Lowering it revokes no permit: requests are admitted again once enough
   * permits have been released. A distributed limit changes for all processes, including those that start later, until
   * a process declares a new number. An adaptive limit is held at the number. With `'adaptive'`, its algorithm continues
   * from its own value, which applies at once.
   *
   * @throws HeadgateError unless `limit` is a whole number from 1 or, for an adaptive limit, `'adaptive'`; if its store
   *   cannot change it; and if each request sets the limit of its key.
   */
  setLimit(limit: number | 'adaptive'): void;
  /**
   * Stops admitting requests. New requests are queued, up to the queue limit and their timeout; running ones finish.
   *
   * Pauses a distributed limit for all processes. A process without requests notices at its next request.
   *
   * @throws HeadgateError if the store of a distributed limit does not support it, and if the limiter is closed.
   */
  pause(): void;
  /**
   * Reports that the service behind the limit has refused a request, as by a response 429, 503 or 529. Call it before
   * the permit is released. Once at least half of the last answers to this process were refusals, the limit pauses, as
   * by `pauseFor`: of the last twenty answers, or of twice the number of requests in flight if that is more. Each
   * released permit is an answer.
   *
   * @param retryAfter The text of a `Retry-After` field, or milliseconds, as for `pauseFor`. A second without a usable
   * value.
   * @param key The key whose request was refused. The refusals of a key are forgotten when it is not in use.
   * @throws HeadgateError as `pauseFor` does.
   */
  refused(retryAfter?: number | string | null, key?: string | number): void;
  /**
   * Admits no request for a while. Requests wait in the queue; those that would time out before the pause ends are
   * rejected on arrival (`paused`). A pause never shortens another one. A distributed limit pauses for all processes.
   * `pauseFor(0)` ends it, and so does each operation of an operator except `setLimit`. No effect on a closed limiter,
   * nor in shadow mode.
   *
   * @param pause Milliseconds, or the value of a `Retry-After` field: a number of seconds, or a date. A malformed or
   *   negative value, and a date in the past, are ignored. At most the option `maxPause` counts.
   * @param key The key to pause, if the limiter is keyed.
   * @throws HeadgateError for neither a string nor a number, for a keyed limiter without a key, and for a key of
   *   another limiter.
   */
  pauseFor(pause: number | string, key?: string | number): void;
  /**
   * Rejects queued and new requests as `closed`; running ones finish. Unlike `close`, `resume` can undo it.
   *
   * @throws HeadgateError as `pause` does.
   */
  rejectAll(): void;
  /**
   * Admits requests again, after `pause` or `rejectAll`. Also ends the pauses of `refused` and `pauseFor`, of all keys.
   *
   * @throws HeadgateError as `pause` does.
   */
  resume(): void;
  /**
   * Starts shadow mode. Admits all waiters, and from then on every request. Simulates what the limit would have done
   * with those requests, beginning with no permit held: see `stats().shadow`. `pause` and `rejectAll` still apply. A
   * distributed limit is not simulated: it only reports requests that exceed the limit by more than the queue holds.
   *
   * @throws HeadgateError as `pause` does.
   */
  shadow(): void;
  /**
   * Ends shadow mode. It revokes no permit: requests are admitted again once enough permits have been released.
   *
   * @throws HeadgateError as `pause` does.
   */
  enforce(): void;
  stats(): LimiterStats;
  /**
   * Queries the store, and resolves to the state of the limit or of one key. Rejects with a `StoreError` on failure. It
   * exists only for a distributed limit.
   */
  storeStats?(key?: string | number): Promise<StoreStats>;
  /** The limit and the weight in flight of this key, or of the whole limiter if it is not keyed. */
  usage(key?: string | number): {
    /** Maximum weight in flight at once. */
    readonly limit: number;
    /** Weight that counts against the limit now. */
    readonly inflight: number;
  };
}

/** A limiter within this process, which can admit synchronously. */
export interface LocalLimiter extends Limiter {
  /**
   * Returns a permit immediately, or undefined if there is no room or a waiter is queued. In shadow mode it returns
   * undefined only if the limiter is paused or rejecting.
   *
   * @throws HeadgateError for an invalid weight, key or share.
   */
  tryAcquire(options?: AcquireOptions): Permit | undefined;
}

/** What gates need from a limiter within this process. Not published. */
export interface GateableLimiter extends LocalLimiter {
  tryAcquire(options?: AcquireOptions): BasePermit | undefined;
  /** Like `tryAcquire`, but returns undefined in shadow mode, since only `request` simulates. */
  tryWithinLimit(options: AcquireOptions, ordering?: Ordering): BasePermit | undefined;
  /** Counts and reports a rejection that a simulation has found. */
  rejectedInShadow(rejection: Rejection, request: object): void;
  /** The waiter that a new request would displace from the full queue. */
  displacedBy(newWaiter: Waiter): Waiter | undefined;
}
