import { HeadgateError } from '../errors.ts';

/** The event loop of a thread. */
export interface EventLoop {
  /** Whether its idle time and its polls are known. */
  readonly isMeasured: boolean;
  /** The current time in milliseconds. */
  now(): number;
  /** Number of loop iterations so far. */
  iterations(): number;
  /** Total milliseconds that the loop has been idle. */
  idle(): number;
  /** Calls back for each connection that a server accepts. */
  onAccept(accepted: () => void): void;
  /** Number of connections that servers have accepted. */
  accepted(): number;
  /** Calls back once, after the events that the loop has already received. */
  whenPolled(callback: () => void): void;
}

/** What is used of `node:perf_hooks`. */
interface PerformanceHooks {
  readonly performance: {
    readonly nodeTiming?: {
      readonly idleTime: number;
      readonly uvMetricsInfo?: { readonly loopCount: number };
    };
  };
}

/** What is used of `node:diagnostics_channel`. */
interface Channels {
  subscribe(name: string, listener: () => void): void;
}

/** Node's globals, which other runtimes may lack. */
interface Runtime {
  readonly process?: {
    readonly versions: object;
    getBuiltinModule?<Module>(name: string): Module | undefined;
  };
  setImmediate?(callback: () => void): unknown;
}

const { process, setImmediate = setTimeout } = globalThis as Runtime;

/** Loads a module at run time, since bundles for other runtimes must not import Node's. */
function load<Module>(name: string): Module | undefined {
  return process?.getBuiltinModule?.<Module>(name);
}

/** Undefined on Bun, Deno and other runtimes that imitate Node but do not measure their event loop. */
function timingOf(hooks = load<PerformanceHooks>('node:perf_hooks')) {
  const timing = hooks?.performance.nodeTiming;
  return timing?.uvMetricsInfo === undefined ? undefined : timing;
}

const now = () => performance.now();

/** A loop that is not measured seems to be idle at all times, and calls nothing back. */
const unmeasured: EventLoop = {
  isMeasured: false,
  now,
  whenPolled: () => {},
  iterations: () => 0,
  idle: now,
  onAccept: () => {},
  accepted: () => 0,
};

let own: EventLoop | undefined;

/** The event loop of this thread: one object, since its listener is never removed. */
export function eventLoop(): EventLoop {
  own ??= measured() ?? unmeasured;
  return own;
}

function measured(): EventLoop | undefined {
  const timing = timingOf();
  const channels = load<Channels>('node:diagnostics_channel');
  if (timing === undefined || channels === undefined) return undefined;
  const onAccept = (callback: () => void) => channels.subscribe('net.server.socket', callback);
  let accepted = 0;
  onAccept(() => accepted++);
  return {
    isMeasured: true,
    now,
    whenPolled: (callback) => void setImmediate(callback),
    iterations: () => timing.uvMetricsInfo?.loopCount ?? 0,
    idle: () => timing.idleTime,
    onAccept,
    accepted: () => accepted,
  };
}

/** @throws HeadgateError on a runtime that does not measure its event loop. */
export function checkEventLoop(): EventLoop {
  if (timingOf() !== undefined) return eventLoop();
  const { versions = {} } = process ?? {};
  const runtime = 'bun' in versions ? 'Bun' : 'deno' in versions ? 'Deno' : 'This runtime';
  const message = `${runtime} does not measure its event loop, which eventLoopGuard() needs: omit the guard, and limit the number of concurrent requests`;
  throw new HeadgateError('ERR_HEADGATE_RUNTIME', message);
}
