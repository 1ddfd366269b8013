import { checkNames, invalid } from '@headgate/core/options';
import { checkTimes, type Store, type StoreOptions } from '@headgate/store-kit';
import { connectionOf, type RedisClient } from './client.ts';
import { RedisStore } from './redis-store.ts';

export interface RedisStoreOptions extends StoreOptions {
  /** The app's own client. The store opens one more connection like it, to receive grants, and closes only that one. */
  readonly client: RedisClient;
  /** Prefix of the store's keys and channels. Default: `headgate:`. */
  readonly prefix?: string | undefined;
}

const known = ['client', 'prefix', 'leaseDuration', 'timeout', 'handoff', 'reserve', 'name'];

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
  checkNames('redisStore', options, known);
  const { client, prefix = 'headgate:', handoff, reserve, name = 'redis' } = options;
  const settings = { ...checkTimes(options), handoff, reserve, name };
  if (typeof prefix !== 'string') throw invalid('prefix', 'a string', prefix);
  return new RedisStore(connectionOf(client), prefix, settings);
}
