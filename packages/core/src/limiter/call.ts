import { invalid } from '../errors.ts';
import type { Permit } from '../semaphore/permit.ts';

/** A rejected promise for an `fn` that is not a function: `run(work())` instead of `run(work)`, say. */
export function notCallable(fn: unknown): Promise<never> {
  return Promise.reject(invalid('fn', 'a function', fn));
}

/** Calls `fn` with a permit, and ends the permit when `fn` has settled. */
export async function callWith<T>(
  permit: Permit,
  fn: (permit: Permit) => T | PromiseLike<T>,
): Promise<T> {
  try {
    return await fn(permit);
  } finally {
    permit[Symbol.dispose]();
  }
}

/**
 * As `callWith`, for a permit that is not granted yet. `fn` is called from the permit's promise, so it runs in the
 * async context of its own caller and not of the caller that released the previous permit. A pending async function
 * would cost several times as much.
 */
export function callLater<T>(
  permit: Promise<Permit>,
  fn: (permit: Permit) => T | PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  return permit.then((granted) => {
    if (signal?.aborted !== true) return callWith(granted, fn);
    granted.release('ignored');
    throw signal.reason;
  });
}
