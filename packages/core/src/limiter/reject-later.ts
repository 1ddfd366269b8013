import { inNextIteration } from '../outside-request.ts';
import { onWorkers } from '../runtime.ts';
import type { Waiter } from '../semaphore/waiter.ts';

let pending: (() => void)[] = [];

/**
 * Calls back in a later iteration of the event loop, to reject the promise of a waiter. Otherwise a caller that tries
 * again at once would block the loop: no timer would fire, and no permit be released. All rejections of an iteration
 * share one timer.
 */
export function rejectLater({ arrival }: Waiter, reject: () => void): void {
  if (!onWorkers()) {
    if (pending.push(reject) === 1) inNextIteration(rejectAll);
    return;
  }
  // On Workers, a timer ends with the request that has set it. A caller that was not queued (`arrival` is 0) is rejected
  // by its own request; a waiter may be rejected by another one.
  if (arrival === 0) setTimeout(reject);
  else reject();
}

function rejectAll(): void {
  const all = pending;
  pending = [];
  for (const reject of all) reject();
}
