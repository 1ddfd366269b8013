import { builtin } from './runtime.ts';

/** The members of `node:async_hooks` that are used here. */
interface AsyncHooks {
  readonly AsyncResource: new (type: string, options: { requireManualDestroy: true }) => Resource;
}

interface Resource {
  [property: symbol]: unknown;
  emitDestroy(): void;
  runInAsyncScope<A extends unknown[], R>(
    work: (...args: A) => R,
    thisArg: undefined,
    ...args: A
  ): R;
}

const hooks = builtin<AsyncHooks>('node:async_hooks');
const outside = hooks && new hooks.AsyncResource('HEADGATE', { requireManualDestroy: true });
// It works nevertheless. Jest would report it as a handle that a test has left open.
outside?.emitDestroy();

/**
 * Calls `work` outside of the async context (`AsyncLocalStorage`) of any request, and returns its result. Use it to
 * start what may outlive a request: timers, connections, background loops. In the context of a request, they would keep
 * it in memory and appear in its trace. Without effect in browsers and on Workers, where timers and connections belong
 * to a request.
 */
export function outsideRequest<A extends unknown[], R>(work: (...args: A) => R, ...args: A): R {
  if (outside === undefined) return work(...args);
  // Node keeps the context of the resource under symbols. The properties with numbers are ids. The context is removed at
  // each call, since it may be that of the request that has loaded this module, and `enterWith` changes it on Node 20.
  for (const symbol of Object.getOwnPropertySymbols(outside)) {
    if (typeof outside[symbol] !== 'number') outside[symbol] = undefined;
  }
  return outside.runInAsyncScope(work, undefined, ...args);
}

/** Read once: the fake timers of a test replace the globals, and would hold the callback. */
const { setTimeout } = globalThis;
const timers = builtin<{ setImmediate(callback: () => void): unknown }>('node:timers');
const schedule = timers?.setImmediate ?? setTimeout;

/** Calls back in the next iteration of the event loop. */
export function inNextIteration(callback: () => void): void {
  outsideRequest(schedule, callback);
}
