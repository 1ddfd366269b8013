import { invalid } from '../errors.ts';
import type { Permit } from './permit.ts';

/** The rejection for what cannot be called: `run(work())` for `run(work)`, say. */
export function notCallable(fn: unknown): Promise<never> {
  return Promise.reject(invalid('fn', 'a function', fn));
}

/** Calls `fn` under a permit, and gives that back. */
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
 * The same for a permit that is still to come. `fn` is called from the promise of the permit, so in its own caller's
 * async context and not in that of whoever makes room; an async function would cost several times as much to keep
 * waiting.
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
