import { checkNames, checkSignal } from '../checks.ts';
import { invalid } from '../errors.ts';
import { createController } from '../runtime.ts';
import { checkCallback } from './acquire.ts';
import { makeLimiter } from './create-limiter.ts';
import type { Limiter } from './limiter.ts';
import { checkLimiter } from './options.ts';

export interface MapOptions {
  /** Maximum number of items processed at once: a whole number from 1. */
  limit: number;
  /** When it aborts, `map` rejects with its reason. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Calls `fn` for every item, in order, with at most `limit` calls at once. Resolves to the results, in the order of the
 * items. Takes the next item from the iterable only when it can start. After the first error or an abort, it rejects
 * immediately, starts no further items, and aborts the signal of the running calls. Rejects with a `HeadgateError` for
 * an invalid argument or option, such as a `limit` that is not a whole number from 1.
 */
export async function map<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  fn: (item: T, index: number, signal: AbortSignal) => R | PromiseLike<R>,
  options: MapOptions,
): Promise<R[]> {
  checkItems(items);
  checkCallback(fn);
  checkNames('map', options, ['limit', 'signal']);
  const { limit, signal } = options;
  checkSignal(signal);
  const limiter = makeLimiter(checkLimiter({ limit, queueLimit: 1, queueTimeout: Infinity }));
  signal?.throwIfAborted();
  const stop = createController();
  const abort = () => stop.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([callAll(items, fn, limiter, stop), aborted(stop.signal)]);
  } catch (error) {
    stop.abort(error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Calls `fn` for every item within the limit, until `stop` aborts. A failing call aborts `stop`. */
async function callAll<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  fn: (item: T, index: number, signal: AbortSignal) => R | PromiseLike<R>,
  limiter: Limiter,
  stop: AbortController,
): Promise<R[]> {
  const { signal } = stop;
  const results: R[] = [];
  async function start(item: T, index: number): Promise<void> {
    try {
      results[index] = await fn(item, index, signal);
    } catch (error) {
      stop.abort(error);
    }
  }
  let index = 0;
  let permit = await limiter.acquire({ signal });
  for await (const item of items) {
    signal.throwIfAborted();
    const held = permit;
    start(item, index++).finally(() => held.release());
    permit = await limiter.acquire({ signal });
  }
  permit.release();
  await limiter.close();
  signal.throwIfAborted();
  return results;
}

function checkItems(items: unknown): void {
  const each = (items ?? {}) as Partial<Iterable<unknown> & AsyncIterable<unknown>>;
  if (typeof (each[Symbol.asyncIterator] ?? each[Symbol.iterator]) === 'function') return;
  throw invalid('items', 'an iterable or an async iterable', items);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
