import { setTimeout } from 'node:timers/promises';
import type { Outcome } from './clients.ts';

/** Milliseconds before a client that was not answered sends again. */
const PAUSE = 20;

/** The results of clients in a closed loop. */
export interface Closed {
  /** Answers per second. */
  readonly rate: number;
  /** Milliseconds that each answer took. */
  readonly times: readonly number[];
  readonly outcomes: Readonly<Record<Outcome, number>>;
}

/**
 * Measures a server's capacity by clients that each send the next request as soon as they are answered: this keeps the
 * server busy without overloading it. The first fifth of the time does not count.
 *
 * @param duration Milliseconds. On a slow machine, continues until there are `minAnswers`, for at most three times as long.
 * @param send Sends one request.
 */
export async function closedLoop(
  { clients, duration, minAnswers = 0 }: { clients: number; duration: number; minAnswers?: number },
  send: () => Promise<Outcome>,
): Promise<Closed> {
  const begin = performance.now();
  const times: number[] = [];
  const ends: number[] = [];
  const outcomes = { answered: 0, rejected: 0, gaveUp: 0, failed: 0 };
  const isOver = () => {
    const time = performance.now() - begin;
    return time > duration && (ends.length >= minAnswers || time > 3 * duration);
  };
  const loop = async () => {
    while (!isOver()) {
      const sent = performance.now();
      const outcome = await send();
      const now = performance.now();
      // Answers after the end do not count, because other clients have stopped by then.
      if (isOver()) break;
      outcomes[outcome]++;
      if (outcome !== 'answered') await setTimeout(PAUSE);
      else if (now - begin > duration / 5) {
        times.push(now - sent);
        ends.push(now);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, loop));
  return { rate: ends.length < 2 ? 0 : 1_000 * slope(ends), times, outcomes };
}

/** The number of values per unit by least squares, which is robust against answers in batches. */
export function slope(rising: readonly number[]): number {
  const mean = rising.reduce((sum, value) => sum + value, 0) / rising.length;
  const middle = (rising.length - 1) / 2;
  const together = rising.reduce((sum, value, i) => sum + (value - mean) * (i - middle), 0);
  return together / rising.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}
