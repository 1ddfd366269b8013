import { visit } from './client.ts';

const CLIENT_PATIENCE = 10_000;
/** A slow machine is measured until it has given this many answers, within a time limit. */
const MIN_ANSWERS = 16;
const MAX_DURATION = 10_000;

/**
 * Measures how many requests per second the server can answer: `workers` clients that each send the next request when
 * the previous one is answered (a closed loop, which keeps the server busy and never overloads it).
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
    return (time > measure && answers.length >= MIN_ANSWERS) || time > MAX_DURATION;
  };
  const worker = async () => {
    while (!done()) {
      const outcome = await visit(port, CLIENT_PATIENCE);
      if (outcome !== 'answered') throw new Error(`measuring the capacity, a request ${outcome}`);
      // The last answers arrive when other clients have already stopped.
      if (performance.now() > from && !done()) answers.push(performance.now());
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return rateOf(answers);
}

/** Per second, from the first to the last answer, so that the edges of the window do not matter. */
export function rateOf(times: readonly number[]): number {
  const first = times[0];
  const last = times[times.length - 1];
  if (first === undefined || last === undefined || last <= first) {
    throw new Error('too few answers to measure the capacity by');
  }
  return ((times.length - 1) / (last - first)) * 1_000;
}
