import { checkNames, checkToken, type Store } from '@headgate/core/shared';
import { addressFrom } from './address.ts';
import { checkLease } from './lease.ts';
import { ThrottleStore } from './throttle-store.ts';
import { Transport } from './transport.ts';

export { ThrottleClient, type ThrottleClientOptions, throttleClient } from './client.ts';
export { Lock, type LockOptions } from './lock.ts';

export interface ThrottleStoreOptions {
  /** Where the service is: `http://host:port`, `https://host:port` or `unix:/path/of/a/socket`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer <token>`. Default: nothing is. */
  readonly token?: string | undefined;
  /**
   * Milliseconds for which a permit is held without a renewal: so long is a place lost whose process was killed. At
   * least 100, and three times `timeout`, since it is renewed when a third has passed. Default: 10,000.
   */
  readonly lease?: number | undefined;
  /** Milliseconds that a call may take. Default: 1,000, or a third of `lease` where that is shorter. */
  readonly timeout?: number | undefined;
}

/** Of a process to the service. */
const sockets = 3;

/**
 * Counts limits by the semaphores of headgate-server, or of another service of its protocol: the semaphore of a limit
 * has its name, and its full count is the limit.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function throttleStore(options: ThrottleStoreOptions): Store {
  checkNames('throttleStore', options, ['url', 'token', 'lease', 'timeout']);
  const lease = checkLease(options.lease);
  const { timeout = Math.min(1_000, lease / 3) } = options;
  const address = addressFrom(options.url);
  const token = checkToken('token', options.token);
  return new ThrottleStore(new Transport({ address, token, sockets }), lease, timeout);
}
