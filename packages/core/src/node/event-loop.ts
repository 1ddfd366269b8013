import { subscribe } from 'node:diagnostics_channel';
import { performance } from 'node:perf_hooks';
import { HeadgateError } from '../errors.ts';
import { onBun, onDeno } from '../runtime.ts';

/** Measurements of the event loop. */
export interface MeasuredLoop {
  /** The current time in milliseconds. */
  now(): number;
  /** Number of loop iterations so far. */
  iterations(): number;
  /** Total milliseconds that the loop has been idle. */
  idle(): number;
  /** Calls back for each connection that a server accepts. */
  onAccept(accepted: () => void): void;
}

/** The event loop of this thread. */
export const eventLoop: MeasuredLoop = {
  now: () => performance.now(),
  iterations: () => performance.nodeTiming.uvMetricsInfo.loopCount,
  idle: () => performance.nodeTiming.idleTime,
  onAccept: (accepted) => subscribe('net.server.socket', accepted),
};

/** @throws HeadgateError on a runtime that imitates Node but does not measure its event loop. */
export function checkEventLoop(): void {
  if (performance.nodeTiming?.uvMetricsInfo !== undefined) return;
  const runtime = onBun ? 'Bun' : onDeno ? 'Deno' : 'This runtime';
  const message = `${runtime} does not measure its event loop, which eventLoopGuard() needs: omit the guard, and limit the number of concurrent requests`;
  throw new HeadgateError('ERR_HEADGATE_RUNTIME', message);
}
