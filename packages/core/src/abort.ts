import { builtin } from './runtime.ts';

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
