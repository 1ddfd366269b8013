import { warnOnce } from './warning.ts';

/** Globals that distinguish the runtimes. Other runtimes imitate those of Node, and none of them exists everywhere. */
interface Globals {
  readonly navigator?: { readonly userAgent?: string };
  readonly process?: {
    readonly versions?: Readonly<Record<string, string>>;
    getBuiltinModule?<Module>(name: string): Module | undefined;
  };
}

const { process } = globalThis as Globals;
const { versions = {} } = process ?? {};

/** Whether this is Bun. */
export const onBun = versions.bun !== undefined;

/** Whether this is Deno. */
export const onDeno = versions.deno !== undefined;

// The core runs without the modules of Node, as elsewhere, but the default limit then misses the event loop.
if (versions.node !== undefined && !onBun && !onDeno && process?.getBuiltinModule === undefined) {
  const message = `Node ${versions.node} is not supported: the default limit cannot measure the event loop, and timers keep the async context of a request; use Node 20.19 or newer`;
  warnOnce('HEADGATE_NODE_VERSION', message);
}

/** Whether this is Cloudflare Workers. */
export function onWorkers(): boolean {
  return (globalThis as Globals).navigator?.userAgent === 'Cloudflare-Workers';
}

/**
 * Loads a module of Node at run time, since bundles for other runtimes must not import it. Returns undefined if it does
 * not exist. Also on Workers, where some of these modules exist but have no effect.
 */
export function builtin<Module>(name: string): Module | undefined {
  return onWorkers() ? undefined : process?.getBuiltinModule?.<Module>(name);
}

/** The functions of `node:events` that this file uses. */
interface Events {
  setMaxListeners(count: number, target: AbortSignal): void;
}

const events = builtin<Events>('node:events');

/**
 * Creates a controller whose signal is passed to an application. Without this, Node 20 would warn of a leak when the
 * application adds an eleventh listener.
 */
export function createController(): AbortController {
  const controller = new AbortController();
  events?.setMaxListeners(0, controller.signal);
  return controller;
}
