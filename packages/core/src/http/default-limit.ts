import { firstSet } from '../checks.ts';
import { invalid } from '../errors.ts';
import { defaultLimit } from '../pacing/default-limit.ts';
import type { AnyHttpOptions } from './options.ts';
import { onlyOwn } from './rule.ts';

/**
 * A middleware with one of these options has no default limit: the option replaces it, or needs a limit of the app's
 * own.
 */
const excludingOptions = [...onlyOwn, 'shares', 'limits', 'limiter', 'guard', 'key'];

/** Whether a middleware with these options has the default limit. */
export function hasDefaultLimit(options: AnyHttpOptions<never>): boolean {
  return firstSet(options, excludingOptions) === undefined;
}

/**
 * Adds the default limit. It bounds its own queue, and its name differs from that of an unnamed limit of the app.
 *
 * @throws HeadgateError for a `queueLimit`, which suggests that the app meant to set a limit of its own.
 */
export function withDefaultLimit<R>(options: AnyHttpOptions<R>): AnyHttpOptions<R> {
  const { queueLimit, name = 'default' } = options;
  if (queueLimit !== undefined) {
    const expected = 'omitted unless limit is set, since the default limit bounds its own queue';
    throw invalid('queueLimit', expected, queueLimit);
  }
  return { ...options, name, limit: defaultLimit() } as typeof options;
}
