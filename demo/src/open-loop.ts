import { setImmediate, setTimeout } from 'node:timers/promises';
import { type Outcome, visit } from './client.ts';

/** One request, in milliseconds. */
export interface Attempt {
  /** When it was due, from the start of the run. */
  readonly due: number;
  /** How late it was sent. */
  readonly late: number;
  /** From its due time to its outcome, so that the generator's lateness counts as waiting. */
  readonly took: number;
  readonly outcome: Outcome;
}

/** The counts so far. */
export type Tally = Record<Outcome | 'sent', number> & { at: number };

/**
 * Sends each request when it is due, even if earlier ones are unanswered: waiting for answers would slow the load down
 * just when the server is too slow, and hide the overload (coordinated omission).
 */
export async function openLoop(
  port: number,
  dueTimes: readonly number[],
  timeout: number,
  report: (tally: Tally) => void,
): Promise<Attempt[]> {
  const tally: Tally = { at: 0, sent: 0, answered: 0, rejected: 0, gaveUp: 0, failed: 0 };
  const start = performance.now();
  const now = () => performance.now() - start;
  const ticker = setInterval(() => report({ ...tally, at: now() }), 250);

  const send = async (due: number): Promise<Attempt> => {
    const late = now() - due;
    tally.sent++;
    const outcome = await visit(port, timeout - late);
    tally[outcome]++;
    return { due, late, took: now() - due, outcome };
  };
  const attempts: Promise<Attempt>[] = [];
  for (const due of dueTimes) {
    const wait = due - now();
    // Yields even when it is late, so that answers are read between two requests.
    await (wait > 0 ? setTimeout(wait) : setImmediate());
    attempts.push(send(due));
  }
  const finished = await Promise.all(attempts);
  clearInterval(ticker);
  return finished;
}
