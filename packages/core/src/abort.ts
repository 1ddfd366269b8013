import { builtin } from './runtime.ts';

/** What is used of `node:events`. */
interface Events {
  setMaxListeners(count: number, target: AbortSignal): void;
}

const events = builtin<Events>('node:events');

/** For a signal that an application receives: Node 20 warns of a leak when it listens for the eleventh time. */
export function createController(): AbortController {
  const controller = new AbortController();
  events?.setMaxListeners(0, controller.signal);
  return controller;
}
