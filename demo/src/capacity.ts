import { visit } from './client.ts';

const patience = 10_000;
/** A slow machine is measured for as long as it takes to see so many answers, within reason. */
const enough = 16;
const longest = 10_000;

/**
 * How many requests a second the server can answer: `workers` clients that each come back as soon
 * as they are answered (a closed loop, which keeps the server busy and never overloads it).
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
    return (time > measure && answers.length >= enough) || time > longest;
  };
  const worker = async () => {
    while (!done()) {
      const outcome = await visit(port, patience);
      if (outcome !== 'answered') throw new Error(`measuring the capacity, a request ${outcome}`);
      // The last answers come while others have stopped asking.
      if (performance.now() > from && !done()) answers.push(performance.now());
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return rateOf(answers);
}

/** Per second, from the first to the last: what the edges of the window cut off does not count. */
export function rateOf(times: readonly number[]): number {
  const first = times[0];
  const last = times[times.length - 1];
  if (first === undefined || last === undefined || last <= first) {
    throw new Error('too few answers to measure the capacity by');
  }
  return ((times.length - 1) / (last - first)) * 1_000;
}
