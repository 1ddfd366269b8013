import { checkNames, checkToken } from '@headgate/core/options';
import { checkTimes, type Store, type StoreOptions } from '@headgate/store-kit';
import { addressFrom } from './address.ts';
import { ServerStore } from './store/server-store.ts';
import { Transport } from './transport.ts';

export { LockClient, type LockClientOptions, lockClient } from './lock/client.ts';
export { Lock } from './lock/lock.ts';

export interface ServerStoreOptions extends StoreOptions {
  /** The service's address: `http://host:port`, `https://host:port` or `unix:/path/of/a/socket`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer <token>`. Default: no authorization. */
  readonly token?: string | undefined;
}

/** Maximum number of connections from this process to the service. */
const MAX_SOCKETS = 3;

const known = ['url', 'token', 'leaseDuration', 'timeout', 'handoff', 'reserve', 'name'];

/**
 * Creates a store that counts limits in headgate-server. The limits need no configuration there: the processes declare
 * them.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function serverStore(options: ServerStoreOptions): Store {
  checkNames('serverStore', options, known);
  const { handoff, reserve, name = 'server' } = options;
  const settings = { ...checkTimes(options), handoff, reserve, name };
  const address = addressFrom(options.url);
  const token = checkToken('token', options.token);
  const transport = new Transport({ address, token, sockets: MAX_SOCKETS });
  return new ServerStore(transport, settings);
}
