import { outsideRequest } from '../outside-request.ts';
import { builtin, onWorkers } from '../runtime.ts';
import type { Waiter } from '../semaphore/waiter.ts';

/** Read once: the fake timers of a test replace the globals, and a rejection would wait for them. */
const { setTimeout } = globalThis;
const timers = builtin<{ setImmediate(callback: () => void): unknown }>('node:timers');
const schedule = timers?.setImmediate ?? setTimeout;

let pending: (() => void)[] = [];

/**
 * Calls back in a later iteration of the event loop, to reject the promise of a waiter. Otherwise a caller that tries
 * again at once would block the loop: no timer would fire, and no permit be released. All rejections of an iteration
 * share one timer.
 */
export function rejectLater({ arrival }: Waiter, reject: () => void): void {
  if (!onWorkers()) {
    if (pending.push(reject) === 1) outsideRequest(schedule, rejectAll);
    return;
  }
  // On Workers, a timer ends with the request that has set it. For a queued waiter, that may be another request.
  if (arrival === 0) setTimeout(reject);
  else reject();
}

function rejectAll(): void {
  const all = pending;
  pending = [];
  for (const reject of all) reject();
}
