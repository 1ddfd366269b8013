import { checkTimes, type Store } from '@headgate/core/distributed';
import { checkNames, checkToken } from '@headgate/core/options';
import { addressFrom } from './address.ts';
import { ThrottleStore } from './store/throttle-store.ts';
import { Transport } from './transport.ts';

export { ThrottleClient, type ThrottleClientOptions, throttleClient } from './lock/client.ts';
export { Lock } from './lock/lock.ts';

export interface ThrottleStoreOptions {
  /** The service's address: `http://host:port`, `https://host:port` or `unix:/path/of/a/socket`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer <token>`. Default: no authorization. */
  readonly token?: string | undefined;
  /**
   * Milliseconds after which a permit expires unless it is renewed, which happens once a third has passed. The permit
   * of a killed process is held until then. At least 100, and at least three times `timeout`. Default: 10,000.
   */
  readonly leaseDuration?: number | undefined;
  /** Timeout of a call in milliseconds. Default: 1,000, or a third of `leaseDuration` if that is shorter. */
  readonly timeout?: number | undefined;
  /** The store's name in metrics, where an app has several. Default: `throttle`. */
  readonly name?: string | undefined;
}

/** Maximum number of connections from this process to the service. */
const MAX_SOCKETS = 3;

/**
 * Creates a store that counts limits with the semaphores of headgate-server, or of another service with the same
 * protocol. The semaphore has the limit's name, and its full count must equal the limit.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function throttleStore(options: ThrottleStoreOptions): Store {
  checkNames('throttleStore', options, ['url', 'token', 'leaseDuration', 'timeout', 'name']);
  const { leaseDuration, timeout } = checkTimes(options);
  const address = addressFrom(options.url);
  const token = checkToken('token', options.token);
  const transport = new Transport({ address, token, sockets: MAX_SOCKETS });
  return new ThrottleStore(transport, leaseDuration, timeout, options.name);
}
