import type { Event } from './event.ts';
import { stamp } from './stamp.ts';

/** Minimum milliseconds of a blocked event loop that are recorded. */
const stall = 100;

/** The name under which the verifier, whose process also runs the proxies, records its own pauses. */
export const verifier = 'the verifier';

/**
 * Records when this process's event loop was blocked, because the process was stopped or the machine is busy. Returns a
 * function that ends the recording.
 */
export function watchLoop(worker: string, note: (event: Event) => void): () => void {
  let last = stamp();
  const timer = setInterval(() => {
    const now = stamp();
    if (now - last > stall) note({ kind: 'stalled', at: now, worker, from: last });
    last = now;
  }, 20);
  return () => clearInterval(timer);
}
