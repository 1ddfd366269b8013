import { checkNames, checkToken } from '@headgate/core/shared';
import { addressFrom } from './address.ts';
import { Holder } from './holder.ts';
import { checkLease } from './lease.ts';
import { type Lock, type LockOptions, lockFor } from './lock.ts';
import { Protocol } from './protocol.ts';
import { type Caller, Transport } from './transport.ts';

export interface ThrottleClientOptions {
  /** Where the service is: `http://host:port`, `https://host:port` or `unix:/path/of/a/socket`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer <token>`. Default: nothing is. */
  readonly token?: string | undefined;
  /**
   * Milliseconds for which a lock is held without a heartbeat, of which there is one in each third: so long is a lock
   * kept whose process was killed. At least 100. Default: 10,000.
   */
  readonly lease?: number | undefined;
}

/**
 * Locks of headgate-server, or of another service of its protocol.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function throttleClient(options: ThrottleClientOptions): ThrottleClient {
  checkNames('throttleClient', options, ['url', 'token', 'lease']);
  const address = addressFrom(options.url);
  const token = checkToken('token', options.token);
  return new ThrottleClient(
    // Each who waits has a request of its own.
    new Transport({ address, token, sockets: Infinity }),
    checkLease(options.lease),
  );
}

/** What `throttleClient` makes. */
export class ThrottleClient {
  readonly #transport: Caller;
  readonly #protocol: Protocol;
  readonly #lease: number;
  readonly #works = new Set<Promise<void>>();

  /** @internal */
  constructor(transport: Caller, lease: number) {
    this.#transport = transport;
    this.#protocol = new Protocol(transport);
    this.#lease = lease;
  }

  /**
   * Waits for a lock, in the service's line. What may pass is tried again: no answer, no connection, an answer that says
   * so; ten times in a row at most.
   *
   * @throws RejectedError where it has not got the lock in time, also while the service does not answer; StoreError where
   * the service refuses it or cannot be reached; the signal's reason. In each case the request is withdrawn, and a grant
   * that comes later is released.
   * @throws HeadgateError where an option makes no sense.
   */
  lock(semaphore: string, options?: LockOptions): Promise<Lock> {
    const holder = new Holder(this.#protocol, this.#lease);
    return lockFor(holder, semaphore, options, (work) => this.#background(work));
  }

  /**
   * Ends the connections, when those who no longer wait have left the line. Locks are to be released before; who still
   * waits for one is told that the client was closed.
   */
  async close(): Promise<void> {
    await Promise.all(this.#works);
    this.#transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #background(work: Promise<void>): void {
    this.#works.add(work);
    void work.then(() => this.#works.delete(work));
  }
}
