import { subscribe } from 'node:diagnostics_channel';
import { performance } from 'node:perf_hooks';
import { HeadgateError } from '../errors.ts';

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

/** @throws HeadgateError on a runtime that imitates Node without the figures of its event loop. */
export function checkEventLoop(): void {
  if (performance.nodeTiming?.uvMetricsInfo !== undefined) return;
  const runtime =
    'bun' in process.versions ? 'Bun' : 'deno' in process.versions ? 'Deno' : 'This runtime';
  const message = `${runtime} does not measure its event loop, which eventLoopGuard() needs: leave the guard out, and limit how many requests run at once`;
  throw new HeadgateError('ERR_HEADGATE_RUNTIME', message);
}
