import type { Operation } from '../semaphore/observer.ts';

/** The guard of one gate, to operate it at run time. Other gates with the same guard are not affected. */
export interface GateGuard {
  readonly name: string;
  /** `shadow`: the requests that the guard sheds are only reported. */
  readonly mode: 'enforce' | 'shadow';
  /** The operations that it supports. */
  readonly operations: readonly Operation[];
  /**
   * Starts shadow mode of the guard: what it sheds from then on is reported, and proceeds to the limits.
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
