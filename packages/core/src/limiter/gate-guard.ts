import type { Operation } from '../semaphore/observer.ts';

/** Operates the guard of one gate at run time. Other gates with the same guard are not affected. */
export interface GateGuard {
  /** Name in rejections, statistics and events. */
  readonly name: string;
  /** `shadow`: the guard sheds no request, and only reports those that it would have shed. */
  readonly mode: 'enforce' | 'shadow';
  /** The operations that it supports. */
  readonly operations: readonly Operation[];
  /**
   * Starts shadow mode of the guard: requests that it would shed are reported and proceed to the limits.
   *
   * @throws HeadgateError if the gate is closed.
   */
  shadow(): void;
  /**
   * Ends shadow mode of the guard.
   *
   * @throws HeadgateError if the gate is closed.
   */
  enforce(): void;
}

/** State of a guard. */
export interface GuardStats {
  /** The latest measured delay in milliseconds of the resource that the guard watches. */
  readonly delay?: number | undefined;
  /** Fraction of recent requests that it has rejected, from 0 to 1. */
  readonly shedding?: number | undefined;
}
