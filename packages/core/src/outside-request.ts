import { builtin } from './runtime.ts';

/** What is used of `node:async_hooks`. */
interface AsyncHooks {
  readonly AsyncResource: new (type: string) => Resource;
}

interface Resource {
  [property: symbol]: unknown;
  runInAsyncScope<A extends unknown[], R>(
    work: (...args: A) => R,
    thisArg: undefined,
    ...args: A
  ): R;
}

const hooks = builtin<AsyncHooks>('node:async_hooks');
const outside = hooks && new hooks.AsyncResource('HEADGATE');

/**
 * Calls `work` outside of the async context (`AsyncLocalStorage`) of any request, and returns its result. For what may
 * outlive the request that happens to start it: timers, connections, background loops. In the request's context they
 * would keep it in memory, and appear in its trace. Without effect in browsers and on Workers, where timers and
 * connections belong to a request.
 */
export function outsideRequest<A extends unknown[], R>(work: (...args: A) => R, ...args: A): R {
  if (outside === undefined) return work(...args);
  // Node keeps a context under symbols, and only the resource's ids are numbers. Emptied each time: the context may be that
  // of a request which has loaded this module, and on Node 20 `enterWith` changes it.
  for (const symbol of Object.getOwnPropertySymbols(outside)) {
    if (typeof outside[symbol] !== 'number') outside[symbol] = undefined;
  }
  return outside.runInAsyncScope(work, undefined, ...args);
}
