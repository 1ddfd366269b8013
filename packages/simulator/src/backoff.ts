/** Milliseconds to wait before a retry, which are numbered from 1. */
export type Backoff = (retry: number, random: () => number) => number;

/** Anything up to a slot, then up to twice as long each time ("full jitter"). */
export const exponentialBackoff =
  (slot: number): Backoff =>
  (retry, random) =>
    random() * slot * 2 ** (retry - 1);

/** As long as the last two together, from one and two units on, up to the longest. */
export const fibonacciBackoff =
  (unit: number, longest: number): Backoff =>
  (retry) => {
    let [last, next] = [unit, unit];
    for (let count = 1; count < retry; count++) [last, next] = [next, last + next];
    return Math.min(next, longest);
  };
