import { checkCount } from '../checks.ts';
import { HeadgateError, invalid } from '../errors.ts';
import { checkPriority } from './priority.ts';
import type { Waiter } from './waiter.ts';

/**
 * Checks the weight and the share of a request. Other functions create the errors, so that this one is small enough to
 * be inlined.
 *
 * @param limit The limit that applies to the request: its key's own, if it has one.
 * @throws HeadgateError for a weight that could never be granted, and for an unknown share.
 */
export function checkRequest(
  limiter: { readonly name: string; readonly shareNames: readonly string[] },
  limit: number,
  weight: number,
  share: string | undefined,
): void {
  if (!Number.isSafeInteger(weight) || weight < 1 || weight > limit)
    throw unfit(limiter.name, weight, limit);
  if (share !== undefined && !limiter.shareNames.includes(share))
    throw unknownShare(limiter, share);
}

function unfit(name: string, weight: number, limit: number): HeadgateError {
  const expected = `a whole number from 1 to the limit of "${name}" (${limit})`;
  return invalid('weight', expected, weight, 'ERR_HEADGATE_WEIGHT');
}

function unknownShare(
  { name, shareNames }: { readonly name: string; readonly shareNames: readonly string[] },
  share: string,
): HeadgateError {
  const hasNone = shareNames.length === 0;
  const names = `one of ${shareNames.join(', ')}`;
  return invalid('share', hasNone ? `omitted, as limit "${name}" has no shares` : names, share);
}

/**
 * @throws HeadgateError for a request without a key to a keyed limiter, for a key or a key's limit to another limiter,
 * and for an invalid limit.
 */
export function checkKey(
  { name, perKey }: { readonly name: string; readonly perKey: boolean },
  key: string | undefined,
  limit: number | undefined,
): void {
  if (perKey && typeof key !== 'string') {
    throw invalid('key', `a string, as limiter "${name}" is keyed`, key, 'ERR_HEADGATE_KEY');
  }
  if (!perKey && (key !== undefined || limit !== undefined)) throw notKeyed(name);
  if (limit !== undefined) checkCount('limit', limit, 1);
}

/**
 * Returns the key of a request as a string: 42 and '42' are the same key.
 *
 * @throws HeadgateError for a value that no key can have, such as NaN.
 */
export function keyText(key: unknown, option = 'key', returns = ''): string | undefined {
  if (key === undefined || typeof key === 'string') return key;
  if (Number.isFinite(key)) return String(key);
  throw invalid(option, `${returns}a string or a finite number`, key, 'ERR_HEADGATE_KEY');
}

function notKeyed(name: string): HeadgateError {
  const message = `limiter "${name}" is not keyed: set perKey`;
  return new HeadgateError('ERR_HEADGATE_KEY', message, 'key');
}

/**
 * @throws HeadgateError for an invalid `priority` or `fairBy`, which would break the queue for other waiters as well.
 */
export function checkOrdering({ priority, fairBy }: Pick<Waiter, 'priority' | 'fairBy'>): void {
  if (priority !== 'normal') checkPriority(priority);
  if (fairBy !== undefined && typeof fairBy !== 'string')
    throw invalid('fairBy', 'a string', fairBy);
}

/** @throws HeadgateError if the waiter is already queued, at any limiter or gate. */
export function checkIdle({ queuedIn }: Waiter): void {
  if (queuedIn === undefined) return;
  throw new HeadgateError('ERR_HEADGATE_WAITING', 'the waiter is already queued');
}
