import { setImmediate, setTimeout } from 'node:timers/promises';
import { type Outcome, visit } from './client.ts';

/** One request, in milliseconds. */
export interface Attempt {
  /** When it should have been sent, from the start of the run. */
  readonly due: number;
  /** How much later than that it was sent. */
  readonly late: number;
  /** From when it was due to its outcome, so lateness of the generator counts as waiting. */
  readonly took: number;
  readonly outcome: Outcome;
}

/** How many so far. */
export type Tally = Record<Outcome | 'sent', number> & { at: number };

/**
 * Sends each request when it is due, whether or not earlier ones have come back: waiting for
 * answers would slow the visitors down just when the server is too slow, and hide the overload.
 */
export async function openLoop(
  port: number,
  dueTimes: readonly number[],
  patience: number,
  report: (tally: Tally) => void,
): Promise<Attempt[]> {
  const tally: Tally = { at: 0, sent: 0, answered: 0, turnedAway: 0, gaveUp: 0, failed: 0 };
  const start = performance.now();
  const now = () => performance.now() - start;
  const ticker = setInterval(() => report({ ...tally, at: now() }), 250);

  const send = async (due: number): Promise<Attempt> => {
    const late = now() - due;
    tally.sent++;
    const outcome = await visit(port, patience - late);
    tally[outcome]++;
    return { due, late, took: now() - due, outcome };
  };
  const attempts: Promise<Attempt>[] = [];
  for (const due of dueTimes) {
    const wait = due - now();
    // Also when it is behind, the loop lets answers in between two requests.
    await (wait > 0 ? setTimeout(wait) : setImmediate());
    attempts.push(send(due));
  }
  const finished = await Promise.all(attempts);
  clearInterval(ticker);
  return finished;
}
