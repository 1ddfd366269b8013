import { outsideRequest } from '../outside-request.ts';
import { builtin, onBun, onDeno } from '../runtime.ts';
import type { EventLoop } from './event-loop.ts';
import { ObservedLoop } from './observed-loop.ts';

/** What is used of `node:perf_hooks`. */
interface PerformanceHooks {
  readonly performance: {
    readonly nodeTiming?: {
      readonly idleTime: number;
      readonly uvMetricsInfo?: object;
    };
  };
}

/** What is used of `node:diagnostics_channel`. */
interface Channels {
  subscribe(name: string, listener: () => void): void;
}

const { setImmediate = setTimeout } = globalThis as {
  setImmediate?(callback: () => void): unknown;
};

/**
 * Outside of the request: each poll may start requests that await the next poll, so a context would be passed on forever.
 */
const whenPolled = (callback: () => void) => outsideRequest(setImmediate, callback);

const now = () => performance.now();

/** An event loop that cannot be measured: it reports that it is always idle, and never calls back. */
const unmeasured: EventLoop = {
  isMeasured: false,
  now,
  whenPolled: () => {},
  idle: now,
  accepted: () => 0,
};

let own: EventLoop | undefined;

/** The event loop of this thread. Created once, since its listener is never removed. */
export function threadEventLoop(): EventLoop {
  own ??= measured() ?? observed() ?? unmeasured;
  return own;
}

/** Undefined on runtimes that imitate Node but do not measure their event loop. */
function measured(): EventLoop | undefined {
  const timing = builtin<PerformanceHooks>('node:perf_hooks')?.performance.nodeTiming;
  const channels = builtin<Channels>('node:diagnostics_channel');
  if (timing?.uvMetricsInfo === undefined || channels === undefined) return undefined;
  let accepted = 0;
  channels.subscribe('net.server.socket', () => accepted++);
  return {
    isMeasured: true,
    now,
    whenPolled,
    idle: () => timing.idleTime,
    accepted: () => accepted,
  };
}

/**
 * Only on runtimes that are known to poll between calls of `setImmediate`: on Workers, a callback belongs to the request
 * that has set it.
 */
function observed(): EventLoop | undefined {
  return onBun || onDeno ? new ObservedLoop(now, whenPolled) : undefined;
}
