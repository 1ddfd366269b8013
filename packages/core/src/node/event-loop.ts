import { subscribe } from 'node:diagnostics_channel';
import { performance } from 'node:perf_hooks';

/** What the event loop tells of itself. */
export interface EventLoop {
  /** Milliseconds. */
  now(): number;
  /** Turns since it has begun. */
  turns(): number;
  /** Milliseconds that it has waited for something to do, ever. */
  idle(): number;
  /** Calls back at each connection that a server accepts. */
  onAccept(accepted: () => void): void;
}

/** This thread's. */
export const eventLoop: EventLoop = {
  now: () => performance.now(),
  turns: () => performance.nodeTiming.uvMetricsInfo.loopCount,
  idle: () => performance.nodeTiming.idleTime,
  onAccept: (accepted) => subscribe('net.server.socket', accepted),
};
