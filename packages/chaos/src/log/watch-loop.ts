import type { Event } from './event.ts';
import { stamp } from './stamp.ts';

/** Milliseconds without a turn of the loop that are worth a note. */
const stall = 100;

/** The name under which the verifier, whose process also is the network, notes its own stalls. */
export const verifier = 'the verifier';

/** Notes when the loop of this process did not turn: it was stopped, or the machine is busy. Returns what ends it. */
export function watchLoop(worker: string, note: (event: Event) => void): () => void {
  let last = stamp();
  const timer = setInterval(() => {
    const now = stamp();
    if (now - last > stall) note({ kind: 'stalled', at: now, worker, from: last });
    last = now;
  }, 20);
  return () => clearInterval(timer);
}
