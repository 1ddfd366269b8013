import { checkNames } from '../checks.ts';
import {
  type CommonWaitOptions,
  checkWaitOptions,
  waitOptions,
} from '../limiter/acquire-options.ts';
import type { LimiterStats } from '../limiter/limiter.ts';
import type { CommonSettings } from '../limiter/options.ts';
import type { Observer } from '../semaphore/observer.ts';
import type { Permit } from '../semaphore/permit.ts';
import type { CloseOptions } from '../semaphore/permit-tracker.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { DemandOptions, Demands } from './demands.ts';
import type { GateGuard } from './gate-guard.ts';
import type { GateLimit } from './gate-limits.ts';
import type { GuardStats } from './options.ts';

export interface GateWaitOptions extends DemandOptions, CommonWaitOptions {}

const known = ['keys', 'weights', 'shares', ...waitOptions];

/** @throws HeadgateError for an unknown option of a request to a gate, and for a value that is not allowed. */
export function checkGateWaitOptions(owner: string, options: GateWaitOptions): void {
  checkNames(owner, options, known);
  checkWaitOptions(options);
}

/** Statistics of a gate. They count requests, while those of its limits count weight. */
export interface GateStats
  extends Omit<
    LimiterStats,
    'limit' | 'baseline' | 'keys' | 'inflightPeak' | 'inflightHistogram' | 'priorities' | 'shares'
  > {
  /** Statistics of each limit, in the gate's order. */
  readonly limits: readonly LimiterStats[];
  /** State of the guard, if the gate has one. */
  readonly guard?: (GuardStats & { readonly name: string }) | undefined;
}

/** Several limits behind one queue, with one timeout and one permit per request. */
export interface Gate {
  readonly name: string;
  readonly limits: readonly GateLimit[];
  /** The guard, if it has one. */
  readonly guard?: GateGuard | undefined;
  /**
   * Whether the gate has been closed. A closed gate rejects every request, except a gate in shadow mode without stores.
   */
  readonly closed: boolean;
  /** Requests that hold a permit. */
  readonly inflight: number;
  /** Queued requests, at any limit. */
  readonly queued: number;
  /**
   * Grants or rejects the waiter, now or later, exactly once. Of the waiter's own fields it reads only
   * `queueTimeout`, `priority` and `fairBy`, and may overwrite the others.
   *
   * @throws HeadgateError for demands that can never be granted.
   */
  request(waiter: Waiter, demands: Demands): void;
  /**
   * Removes a waiter whose caller has left; it is neither granted nor rejected. Does nothing if the waiter is not
   * queued here.
   */
  withdraw(waiter: Waiter): void;
  /**
   * Acquires a permit of all limits. Rejects with a `RejectedError`, or with a `StoreError` if a store is the cause;
   * with the signal's reason if the signal aborts; with a `HeadgateError` for an invalid option.
   */
  acquire(options?: GateWaitOptions): Promise<Permit>;
  /** Acquires a permit, calls `fn`, and releases the permit when that has settled. */
  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: GateWaitOptions): Promise<T>;
  /**
   * Adds an observer, like a limiter's `observe`. The gate reports each request once. The limiters that it has made
   * report only events of the limit itself, such as `resized`.
   */
  observe(observer: Observer): () => void;
  /** Closes the gate, like a limiter's `close`. Reused limiters stay open. */
  close(options?: CloseOptions): Promise<number>;
  stats(): GateStats;
}

/** The options of a gate, validated and with defaults. */
export interface GateSettings extends Omit<CommonSettings, 'order'> {
  readonly name: string;
  readonly queueLimit: number;
  readonly queueTimeout: number;
  /** Mode of the guard; limits have their own mode. An operator may change it. */
  mode: 'enforce' | 'shadow';
}
