import type { Clock } from '../clock.ts';
import type { Linked } from '../linked-list.ts';

/** The limiter's state and operations that a controller needs. */
export interface ControllerContext {
  readonly clock: Clock;
  /** Whether the oldest waiter waits for room, rather than for the controller or an operator. */
  readonly lacksRoom: boolean;
  /** Must be called when `mayStart` or `waitLeft` has changed because of time, not because of a call. */
  wake(): void;
}

/** A permit, as far as a controller needs it. */
export interface ControlledPermit extends Linked<ControlledPermit> {
  /** For the controller: when the request started, in its own time; undefined while it does not concern the controller. */
  startedAt: number | undefined;
  /** From now on the permit does not count. Its duration is still a sample. */
  giveUp(): void;
}

/** The fields of a waiter that decide how long it may wait. */
export interface ControlledWaiter {
  /**
   * For the controller: when it was queued, in whole milliseconds of the limiter's clock. Before, it may have waited at other
   * limits of its gate.
   */
  joinedAt: number | undefined;
  readonly priority: string;
}

/**
 * Decides when requests start and how long they may wait, in addition to a limit. The queue decides which request is
 * next.
 */
export interface Controller {
  /** Maximum number of waiters. */
  readonly maxQueued: number;
  /** Whether a request may start now. */
  mayStart(): boolean;
  /** Milliseconds for which the oldest of `queued` waiters may still wait. It is shed when this is negative. */
  waitLeft(oldest: ControlledWaiter, queued: number): number;
  /**
   * Schedules `wake` for the time at which the oldest waiter may start or must be shed. Called after `mayStart`, whose answer
   * still holds. Without a waiter, cancels it.
   */
  watch(oldest: ControlledWaiter | undefined, queued: number): void;
  /** Milliseconds for which the work of a request that finishes now may have been done before the event loop came to it. */
  delay(): number;
  /** A request has been queued. `length` is the number of waiters, itself included. */
  queued(waiter: ControlledWaiter, length: number): void;
  /** A waiter has been shed because `waitLeft` was negative. */
  shed(): void;
  /** A request has started, or counts again after `paused`. */
  started(permit: ControlledPermit): void;
  /** A request has finished. */
  finished(permit: ControlledPermit): void;
  /** A request does not count from now on, because it only waits for its client, or because the controller gave it up. */
  paused(permit: ControlledPermit): void;
}
