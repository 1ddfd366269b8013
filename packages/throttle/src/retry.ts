import { endedBy } from './ended-by.ts';
import { isPassing } from './failure.ts';

const maxAttempts = 10;
/** Maximum delay before the second attempt in milliseconds, doubled for each further one. */
const firstDelay = 100;
const maxDelay = 5_000;

export interface Patience {
  /** No attempt starts after this time of the monotonic clock. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Retries transient failures with exponential backoff and jitter, which spreads out callers that failed together.
 *
 * @throws The last attempt's error, or the signal's reason.
 */
export async function persist<T>(work: () => Promise<T>, { until, signal }: Patience): Promise<T> {
  for (let attempt = 1, delay = firstDelay; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      const jittered = (delay * (1 + Math.random())) / 2;
      const isOver = attempt === maxAttempts || performance.now() + jittered >= until;
      if (isOver || !isPassing(error)) throw error;
      await sleep(jittered, signal);
      delay = Math.min(2 * delay, maxDelay);
    }
  }
}

/** Waits. Rejects with the signal's reason when it aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return endedBy(over, signal).finally(() => clearTimeout(timer));
}
