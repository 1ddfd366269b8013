import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Arrival } from './arrivals.ts';
import type { Outcome } from './clients.ts';

/** A sent request and its outcome. */
export interface Attempt extends Arrival {
  readonly outcome: Outcome;
  /** How late it was sent, in milliseconds. */
  readonly late: number;
  /** Milliseconds from its due time to its outcome, so that the generator's lateness counts as waiting. */
  readonly took: number;
}

/** Requests sent in a row before answers are read, even if more are due. */
const MAX_IN_A_ROW = 50;

/**
 * Sends each request when it is due, even if earlier ones are unanswered: waiting for answers would slow the load down
 * just when the server is too slow, and hide the overload (coordinated omission).
 *
 * @param send Sends one request, and gives up after `timeout` milliseconds.
 * @param maxLate Stops sending if a request is later than this, in milliseconds: the generator cannot keep up.
 */
export async function openLoop<A extends Arrival>(
  schedule: readonly A[],
  timeout: number,
  send: (arrival: A, timeout: number) => Promise<Outcome>,
  maxLate = Number.POSITIVE_INFINITY,
): Promise<(A & Attempt)[]> {
  const start = performance.now();
  const now = () => performance.now() - start;
  const attempt = async (arrival: A): Promise<A & Attempt> => {
    const late = now() - arrival.at;
    const outcome = await send(arrival, Math.max(1, timeout - late));
    return { ...arrival, outcome, late, took: now() - arrival.at };
  };
  const attempts: Promise<A & Attempt>[] = [];
  for (const arrival of schedule) {
    const ahead = arrival.at - now();
    if (ahead > 0) await setTimeout(ahead);
    else if (attempts.length % MAX_IN_A_ROW === 0) await setImmediate();
    if (now() - arrival.at > maxLate) break;
    attempts.push(attempt(arrival));
  }
  return Promise.all(attempts);
}
