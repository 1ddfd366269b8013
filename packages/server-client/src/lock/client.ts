import { checkNames, checkToken } from '@headgate/core/options';
import { checkTimes } from '@headgate/store-kit';
import { addressFrom } from '../address.ts';
import { closed } from '../failure.ts';
import { HostClock, type LeaseClock } from '../host-clock.ts';
import { Protocol } from '../protocol.ts';
import { type Caller, Transport } from '../transport.ts';
import { type Lock, type LockOptions, lockFor, type Unfinished } from './lock.ts';
import { LockOwner } from './lock-owner.ts';

/** Options of `lockClient`. */
export interface LockClientOptions {
  /** The service's address: `http://host:port`, `https://host:port` or `unix:/path/of/a/socket`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer <token>`. Default: no authorization. */
  readonly token?: string | undefined;
  /**
   * Milliseconds after which a lock expires unless it is renewed. It is renewed after every third of this time. The
   * lock of a killed process is held until it expires. At least 100. Default: 10,000.
   */
  readonly leaseDuration?: number | undefined;
}

/**
 * Creates a client for the locks of headgate-server, or of another service with the same protocol.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function lockClient(options: LockClientOptions): LockClient {
  checkNames('lockClient', options, ['url', 'token', 'leaseDuration']);
  const address = addressFrom(options.url);
  const token = checkToken('token', options.token);
  return new LockClient(
    // Each waiting caller needs its own connection for its blocked request.
    new Transport({ address, token, sockets: Infinity }),
    checkTimes({ leaseDuration: options.leaseDuration }).leaseDuration,
  );
}

/** The client that `lockClient` returns. */
export class LockClient {
  readonly #transport: Caller;
  readonly #protocol: Protocol;
  readonly #leaseDuration: number;
  readonly #clock: LeaseClock;
  readonly #pending = new Set<Promise<void>>();
  readonly #unfinished: Unfinished = {
    waits: new Set(),
    background: (task) => this.#background(task),
  };

  /** @internal */
  constructor(transport: Caller, leaseDuration: number, clock: LeaseClock = new HostClock()) {
    this.#transport = transport;
    this.#protocol = new Protocol(transport);
    this.#leaseDuration = leaseDuration;
    this.#clock = clock;
  }

  /**
   * Acquires a lock, waiting in the service's queue. Retries transient failures (no answer, no connection, certain
   * statuses), up to ten times in a row.
   *
   * @throws RejectedError if the lock is not acquired in time, even if the service does not answer.
   * @throws StoreError if the service refuses the request or cannot be reached.
   * @throws HeadgateError for an invalid option. When the signal aborts, it rejects with the signal's reason. In each
   * case the request is withdrawn, and a later grant is released.
   */
  lock(semaphore: string, options?: LockOptions): Promise<Lock> {
    const lockOwner = new LockOwner(this.#protocol, this.#leaseDuration, this.#clock);
    return lockFor(lockOwner, semaphore, options, this.#unfinished);
  }

  /**
   * Rejects the callers that are still waiting with an error which says that the client was closed. Closes the
   * connections once all their requests have been withdrawn. Release your locks before.
   */
  async close(): Promise<void> {
    const waits = [...this.#unfinished.waits];
    for (const wait of waits) wait.abort(closed('the client'));
    await Promise.all(waits.map(({ ended }) => ended));
    await Promise.all(this.#pending);
    this.#transport.close();
  }

  /** Closes the client, at the end of a block with `await using client = …`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #background(task: Promise<void>): void {
    this.#pending.add(task);
    void task.then(() => this.#pending.delete(task));
  }
}
