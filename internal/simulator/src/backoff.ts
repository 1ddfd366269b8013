/** The delay before a retry, in milliseconds. Retries are numbered from 1. */
export type Backoff = (retry: number, random: () => number) => number;

/** Exponential backoff with full jitter: a random delay of up to `slot` milliseconds, which doubles with each retry. */
export const exponentialBackoff =
  (slot: number): Backoff =>
  (retry, random) =>
    random() * slot * 2 ** (retry - 1);

/** Each delay is the sum of the two before, starting with one and two units, up to `max` milliseconds. */
export const fibonacciBackoff =
  (unit: number, max: number): Backoff =>
  (retry) => {
    let last = unit;
    let next = unit;
    for (let count = 1; count < retry; count++) {
      const sum = last + next;
      last = next;
      next = sum;
    }
    return Math.min(next, max);
  };
