import { checkNames, checkSpan, invalid, type Store } from '@headgate/core/shared';
import { connectionOf, type RedisClient } from './client.ts';
import { RedisStore } from './redis-store.ts';

export type { RedisClient } from './client.ts';
export type { IoredisClient } from './ioredis.ts';
export type { NodeRedisClient } from './node-redis.ts';

export interface RedisStoreOptions {
  /** The app's own; the store opens one more connection like it, to hear of grants, and closes only that. */
  readonly client: RedisClient;
  /** What the store's keys and channels begin with. Default: `headgate:`. */
  readonly prefix?: string | undefined;
  /**
   * Milliseconds for which a permit is held without a renewal: so long is a place lost whose process was killed. At
   * least 100, and three times `timeout`, since it is renewed when a third has passed. Default: 10,000.
   */
  readonly lease?: number | undefined;
  /** Milliseconds that a call may take. Default: 1,000, or a third of `lease` where that is shorter. */
  readonly timeout?: number | undefined;
}

const shortestLease = 100;
/** The most that a script is told. */
const longestLease = 1e12;

/**
 * Counts limits in Redis 6.2 or newer or in Valkey, also in a cluster: one limit over all processes that use the same
 * server, `prefix` and name. The line is kept there too, in order of arrival.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function redisStore(options: RedisStoreOptions): Store {
  checkNames('redisStore', options, ['client', 'prefix', 'lease', 'timeout']);
  const { client, prefix = 'headgate:' } = options;
  const lease = Math.floor(checkSpan('lease', options.lease ?? 10_000));
  const { timeout = Math.min(1_000, lease / 3) } = options;
  if (typeof prefix !== 'string') throw invalid('prefix', 'a string', prefix);
  if (lease < shortestLease || lease > longestLease) {
    throw invalid('lease', `at least ${shortestLease} ms, and finite`, options.lease);
  }
  return new RedisStore(connectionOf(client), prefix, lease, timeout);
}
