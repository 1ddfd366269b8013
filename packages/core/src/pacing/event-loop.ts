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
