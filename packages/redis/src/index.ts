import { checkTimes, type Store } from '@headgate/core/distributed';
import { checkNames, invalid } from '@headgate/core/options';
import { connectionOf, type RedisClient } from './client.ts';
import { RedisStore } from './redis-store.ts';

export interface RedisStoreOptions {
  /** The app's own client. The store opens one more connection like it, to receive grants, and closes only that one. */
  readonly client: RedisClient;
  /** Prefix of the store's keys and channels. Default: `headgate:`. */
  readonly prefix?: string | undefined;
  /**
   * Milliseconds for which a permit is held without a renewal; a process that is killed occupies its permits for up to
   * this long. At least 100, and at least three times `timeout`, because leases are renewed every third of it. Default:
   * 10,000.
   */
  readonly leaseDuration?: number | undefined;
  /** Maximum duration of a call in milliseconds. Default: 1,000, or a third of `leaseDuration` if that is shorter. */
  readonly timeout?: number | undefined;
  /** The store's name in metrics, where an app has several. Default: `redis`. */
  readonly name?: string | undefined;
}

/**
 * A store that counts limits in Redis 6.2 or newer or Valkey, including clusters. All processes with the same server,
 * `prefix` and limit name share one limit and one queue, in order of arrival.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function redisStore(options: RedisStoreOptions): Store {
  if (options instanceof Object && 'duplicate' in options) {
    throw invalid('client', 'set: redisStore({ client })', undefined);
  }
  checkNames('redisStore', options, ['client', 'prefix', 'leaseDuration', 'timeout', 'name']);
  const { client, prefix = 'headgate:' } = options;
  const { leaseDuration, timeout } = checkTimes(options);
  if (typeof prefix !== 'string') throw invalid('prefix', 'a string', prefix);
  return new RedisStore(connectionOf(client), prefix, leaseDuration, timeout, options.name);
}
