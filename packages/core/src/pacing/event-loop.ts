/**
 * Milliseconds of work that may start in one iteration of the event loop, unless one request takes longer. Also the
 * assumed cost of a request until some have been measured.
 */
export const TURN_MS = 5;

/** Milliseconds of a long iteration, unless one request takes longer. */
export const LONG_TURN_MS = 25;

/** Upper bound of an iteration's work. Beyond that, the loop would poll too rarely. */
export const MAX_TURN_MS = 50;

/** The event loop of a thread, as far as the default limit needs it. */
export interface EventLoop {
  /** Whether its idle time and its polls are known. */
  readonly isMeasured: boolean;
  /** The current time in milliseconds. */
  now(): number;
  /** Total milliseconds that the loop has been idle. */
  idle(): number;
  /** Number of connections that servers have accepted. */
  accepted(): number;
  /** Calls back once, after the events that the loop has already received. */
  whenPolled(callback: () => void): void;
}
