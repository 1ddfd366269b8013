import { firstSet } from '../checks.ts';
import { invalid } from '../errors.ts';
import { adaptive } from '../limits/adaptive.ts';
import type { AnyHttpOptions } from './options.ts';
import { onlyOwn } from './rule.ts';

/**
 * The minimum is low for the sake of dependencies that handle only a few requests at a time: how long work takes without
 * load is known once the limit is about what they can do. The maximum is high, because an app whose database does not
 * respond must still serve what needs none.
 */
const defaultLimit = adaptive({ min: 4, initial: 8, max: 10_000 });

/** With one of these options, a middleware has no default limit: they replace it, or need a limit of the app's own. */
const excludingOptions = [...onlyOwn, 'limits', 'limiter', 'guard', 'key'];

/** Whether a middleware with these options has the default limit. */
export function hasDefaultLimit(options: AnyHttpOptions<never>): boolean {
  return firstSet(options, excludingOptions) === undefined;
}

/**
 * Adds the default limit, whose queue bounds its own length and whose name tells it from an unnamed limit of the app.
 *
 * @throws HeadgateError for a `queueLimit`, which suggests that a limit of the app's own was meant.
 */
export function withDefaultLimit<R>(options: AnyHttpOptions<R>): AnyHttpOptions<R> {
  const { queueLimit, name = 'default' } = options;
  if (queueLimit !== undefined) {
    const expected = 'set together with limit: the default limit bounds its own queue';
    throw invalid('queueLimit', expected, queueLimit);
  }
  return { ...options, name, limit: defaultLimit, queueLimit: Infinity } as typeof options;
}
