import { type Gate, HeadgateError, type Limiter, type Permit } from '@headgate/core';
import { checkNames, invalid } from '@headgate/core/options';

/** `Args` are the arguments of the tool's handler. */
export interface CallOptions<Args extends readonly unknown[]> {
  /**
   * Returns the key that a call counts against, such as `extra.authInfo?.clientId`: each key has its own count and
   * queue. All calls for which it returns undefined share one key; over stdio and on a stateless server, no call has a
   * session id. Required if the limit is keyed (`perKey`), otherwise an error. In a gate, it is the key of each keyed
   * limit.
   */
  readonly key?: ((...args: Args) => string | number | undefined) | undefined;
  /**
   * Groups calls for the order `fair()`: the groups are served in turn. An error with an order that does not contain
   * it. Default: all calls form one group.
   */
  readonly fairBy?: ((...args: Args) => string | undefined) | undefined;
}

/** The key of the calls for which `key` returns undefined. Not empty, since a store may use keys in names. */
const NO_KEY = 'none';

/**
 * Returns a function that acquires a permit for one call.
 *
 * @throws HeadgateError for an invalid limit or option.
 */
export function acquireWith<Args extends readonly unknown[]>(
  limit: Limiter | Gate,
  options: CallOptions<Args>,
): (args: Args, signal: AbortSignal) => Promise<Permit> {
  if (typeof limit?.acquire !== 'function') throw invalid('limit', 'a limiter or a gate', limit);
  checkNames('limitTool', options, ['key', 'fairBy']);
  const { key, fairBy } = options;
  for (const [name, value] of Object.entries({ key, fairBy })) {
    if (value !== undefined && typeof value !== 'function')
      throw invalid(name, 'a function', value);
  }
  const keyed = keyedLimits(limit, key !== undefined);
  // Not an async function: its promise would settle later than that of `acquire`, as if the call had to wait.
  return (args, signal) => {
    const waitOptions = { signal, fairBy: fairBy?.(...args) };
    const keyOfCall = key && (key(...args) ?? NO_KEY);
    if ('perKey' in limit) return limit.acquire({ ...waitOptions, key: keyOfCall });
    const keys = Object.fromEntries(keyed.map((name) => [name, keyOfCall]));
    return limit.acquire({ ...waitOptions, keys });
  };
}

/**
 * The names of the keyed limits.
 *
 * @throws HeadgateError unless there is a keyed limit exactly if there is a key.
 */
function keyedLimits({ name, limiters }: Limiter | Gate, hasKey: boolean): string[] {
  const all = Object.entries(limiters);
  const keyed = all.filter(([, { perKey }]) => perKey).map(([limitName]) => limitName);
  if (hasKey === keyed.length > 0) return keyed;
  const message = hasKey
    ? `limit "${name}" is not keyed: set perKey, or omit key`
    : `limit "${keyed[0]}" is keyed: set key`;
  throw new HeadgateError('ERR_HEADGATE_KEY', message, 'key');
}
