import { endedBy } from '../ended-by.ts';
import { isTransient } from '../failure.ts';

const MAX_ATTEMPTS = 10;
/** Maximum delay before the second attempt in milliseconds, doubled for each further one. */
const FIRST_DELAY = 100;
const MAX_DELAY = 5_000;

export interface RetryBounds {
  /** No attempt starts after this time, by the monotonic clock. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Retries transient failures with exponential backoff and jitter, which spreads out callers that failed together.
 *
 * @throws The last attempt's error, or the signal's reason.
 */
export async function retryTransient<T>(
  work: () => Promise<T>,
  { until, signal }: RetryBounds,
): Promise<T> {
  for (let attempt = 1, delay = FIRST_DELAY; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      const jittered = (delay * (1 + Math.random())) / 2;
      const isOver = attempt === MAX_ATTEMPTS || performance.now() + jittered >= until;
      if (isOver || !isTransient(error)) throw error;
      await sleep(jittered, signal);
      delay = Math.min(2 * delay, MAX_DELAY);
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
