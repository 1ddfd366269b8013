import { endedBy } from './ended-by.ts';
import { isPassing } from './failure.ts';

const mostAttempts = 10;
/** Milliseconds before the second attempt, which are doubled from one to the next. */
const firstPause = 100;
const longestPause = 5_000;

export interface Patience {
  /** By the monotonic clock: there is no attempt after it. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tries again what may pass, with growing pauses of which the length is random, so that those who failed together do
 * not come back together.
 *
 * @throws What the last attempt did, or the signal's reason.
 */
export async function persist<T>(work: () => Promise<T>, { until, signal }: Patience): Promise<T> {
  for (let attempt = 1, longest = firstPause; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      const pause = (longest * (1 + Math.random())) / 2;
      const isOver = attempt === mostAttempts || performance.now() + pause >= until;
      if (isOver || !isPassing(error)) throw error;
      await rest(pause, signal);
      longest = Math.min(2 * longest, longestPause);
    }
  }
}

/** @throws The signal's reason. */
export function rest(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return endedBy(over, signal).finally(() => clearTimeout(timer));
}
