import { visit } from './client.ts';

const answerTimeout = 10_000;
/** On a slow machine, measures until there are this many answers, but no longer than `maxTime` milliseconds. */
const minAnswers = 16;
const maxTime = 10_000;

/**
 * Measures the server's capacity in requests per second with `workers` clients that each send the next request as soon
 * as they are answered: a closed loop keeps the server busy without overloading it.
 */
export async function closedLoop(
  port: number,
  workers: number,
  warmUp: number,
  measure: number,
): Promise<number> {
  const from = performance.now() + warmUp;
  const answers: number[] = [];
  const done = () => {
    const time = performance.now() - from;
    return (time > measure && answers.length >= minAnswers) || time > maxTime;
  };
  const worker = async () => {
    while (!done()) {
      const outcome = await visit(port, answerTimeout);
      if (outcome !== 'answered') throw new Error(`measuring the capacity, a request ${outcome}`);
      // Answers after the end do not count, because other clients have stopped by then.
      if (performance.now() > from && !done()) answers.push(performance.now());
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return rateOf(answers);
}

/** The rate per second between the first and the last answer, which the edges of the window do not distort. */
export function rateOf(times: readonly number[]): number {
  const first = times[0];
  const last = times[times.length - 1];
  if (first === undefined || last === undefined || last <= first) {
    throw new Error('too few answers to measure the capacity by');
  }
  return ((times.length - 1) / (last - first)) * 1_000;
}
