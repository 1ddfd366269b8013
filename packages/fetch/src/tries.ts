import type { Clock } from '@headgate/core';
import { onAbort } from './timed-signal.ts';

const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']);

/** Maximum random delay before the second try, in milliseconds. It doubles with each try. */
const FIRST_DELAY = 200;
const MAX_DELAY = 5_000;

/** Whether a request may be sent again: its method is idempotent, and its body is not consumed by the first try. */
export function canRepeat(method: string, body: unknown): boolean {
  return IDEMPOTENT.has(method) && !isStream(body);
}

function isStream(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return 'getReader' in body || Symbol.asyncIterator in body;
}

/** A random delay (full jitter) before the next try, in milliseconds. */
export function delayAfter(number: number, clock: Clock): number {
  const random = clock.random?.() ?? Math.random();
  return random * Math.min(FIRST_DELAY * 2 ** (number - 1), MAX_DELAY);
}

/** Resolves after this many milliseconds; rejects with the reason of the signal if that aborts. */
export function sleep(
  milliseconds: number,
  signal: AbortSignal | undefined,
  clock: Clock,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      unlisten?.();
      resolve();
    }, milliseconds);
    const abort = () => {
      clock.clearTimeout(timer);
      unlisten?.();
      reject(signal?.reason);
    };
    const unlisten = signal && onAbort(signal, abort);
    if (signal?.aborted) abort();
  });
}
