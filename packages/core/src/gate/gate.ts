import { checkNames } from '../checks.ts';
import {
  type CommonWaitOptions,
  checkWaitOptions,
  waitOptions,
} from '../limiter/acquire-options.ts';
import type { Handle } from '../limiter/limiter.ts';
import type { CommonSettings } from '../limiter/options.ts';
import type { GateStats } from '../limiter/stats.ts';
import type { Permit } from '../semaphore/permit.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { DemandOptions, Demands } from './demands.ts';
import type { GateLimit } from './gate-limits.ts';

/** How a caller requests permits of a gate, and how long it waits. */
export interface GateWaitOptions extends DemandOptions, CommonWaitOptions {}

const gateWaitOptions = /* @__PURE__ */ ['keys', 'weights', 'shares'].concat(waitOptions);

/** @throws HeadgateError for an unknown option of a request to a gate, and for a value that is not allowed. */
export function checkGateWaitOptions(owner: string, options: GateWaitOptions): void {
  checkNames(owner, options, gateWaitOptions);
  checkWaitOptions(options);
}

/** Several limits behind one queue, with one timeout and one permit per request. */
export interface Gate extends Handle {
  /**
   * Grants or rejects the waiter exactly once, now or later. It reads only `queueTimeout`, `priority` and `fairBy` of
   * the waiter's own fields, and may overwrite the others.
   *
   * @throws HeadgateError for demands that can never be granted.
   */
  request(waiter: Waiter, demands: Demands): void;
  /**
   * Removes a waiter whose caller no longer waits, without granting or rejecting it. Does nothing if the waiter is not
   * queued here.
   */
  withdraw(waiter: Waiter): void;
  /**
   * Acquires a permit of all limits. Rejects with a `RejectedError` if the gate rejects the request, with a
   * `StoreError` if a store is the cause, with the signal's reason if the signal aborts, and with a `HeadgateError` for
   * an invalid option.
   */
  acquire(options?: GateWaitOptions): Promise<Permit>;
  /**
   * Acquires a permit, calls `fn`, and releases the permit when `fn` has settled. Rejects if `acquire` or `fn` does.
   */
  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: GateWaitOptions): Promise<T>;
  /** Returns all numbers, as they are now. Counters are totals since the gate was created. */
  stats(): GateStats;
}

/** What the core needs from a gate. Not published. */
export interface InternalGate extends Gate {
  /** The limits, in the order in which requests acquire them. */
  readonly limits: readonly GateLimit[];
  /** @param asksGuard False for a request that the guard has already admitted. Default: true. */
  request(waiter: Waiter, demands: Demands, asksGuard?: boolean): void;
}

/** The options of a gate, validated and with defaults. */
export interface GateSettings extends Omit<CommonSettings, 'order'> {
  readonly name: string;
  readonly queueLimit: number;
  readonly queueTimeout: number;
  /** Mode of the guard. Limits have a mode of their own. An operator may change the mode. */
  mode: 'enforce' | 'shadow';
}
