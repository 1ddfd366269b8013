import { firstSet } from '../checks.ts';
import { invalid } from '../errors.ts';
import { defaultLimit } from '../pacing/default-limit.ts';
import type { AnyHttpOptions } from './options.ts';
import { onlyOwn } from './rule.ts';

/** With one of these options, a middleware has no default limit: they replace it, or need a limit of the app's own. */
const excludingOptions = [...onlyOwn, 'shares', 'limits', 'limiter', 'guard', 'key'];

/** Whether a middleware with these options has the default limit. */
export function hasDefaultLimit(options: AnyHttpOptions<never>): boolean {
  return firstSet(options, excludingOptions) === undefined;
}

/**
 * Adds the default limit, which bounds its own queue and whose name tells it from an unnamed limit of the app.
 *
 * @throws HeadgateError for a `queueLimit`, which suggests that a limit of the app's own was meant.
 */
export function withDefaultLimit<R>(options: AnyHttpOptions<R>): AnyHttpOptions<R> {
  const { queueLimit, name = 'default' } = options;
  if (queueLimit !== undefined) {
    const expected = 'set together with limit: the default limit bounds its own queue';
    throw invalid('queueLimit', expected, queueLimit);
  }
  return { ...options, name, limit: defaultLimit() } as typeof options;
}
