import { type Clock, HeadgateError, systemClock } from '@headgate/core';
import { checkCount, checkMethods, checkNames, checkToken } from '@headgate/core/options';
import type { Hono } from 'hono';
import { createApp } from './http/app.ts';
import { type Listener, listen } from './http/listen.ts';
import type { ListenOptions } from './http/listen-options.ts';
import { type Log, silent } from './log.ts';
import { type SemaphoresOptions, semaphoresFrom } from './semaphores.ts';
import { StateDriver } from './state-driver.ts';

/** Options of `createServer`. */
export interface ServerOptions {
  /** Full counts and levels by name. */
  readonly semaphores: SemaphoresOptions;
  /**
   * All requests must carry `Authorization: Bearer <token>`, except for `/health` and the files of the page `/ui`. Default:
   * no authorization.
   */
  readonly token?: string | undefined;
  /**
   * Maximum number of peers, and of the distributed limits and their leases. A request that would create more peers is
   * answered with 503, and an operation that would add more leases is refused. Default: 100,000.
   */
  readonly maxPeers?: number | undefined;
  /**
   * Maximum number of blocked requests. Further ones are answered with 503, and their locks stay pending. Default:
   * 10,000.
   */
  readonly maxBlocked?: number | undefined;
  /** Receives log messages; a pino logger fits. Default: none are logged. */
  readonly log?: Log | undefined;
  /** Time and timers, for tests. Default: the system's. */
  readonly clock?: Clock | undefined;
}

const names = ['semaphores', 'token', 'maxPeers', 'maxBlocked', 'log', 'clock'];

/**
 * Creates a server of semaphores over HTTP, with the protocol of pacman82/throttle. Its state is in memory. After a
 * restart, clients restore the locks that they hold.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function createServer(options: ServerOptions): Server {
  checkNames('createServer', options, names);
  return new Server(options);
}

/** The URL of an address that only this machine can reach. */
const loopback = /^https?:\/\/(127\.|\[::1\]|\[::ffff:127\.)/;

/** The server that `createServer` returns. */
export class Server {
  /** The routes as a Hono app, which can be mounted in another: `other.mount('/semaphores', server.app.fetch)`. */
  readonly app: Hono;
  readonly #stateDriver: StateDriver;
  readonly #hasToken: boolean;
  /** Includes listeners that are still starting, or have failed to. */
  readonly #listeners = new Set<Promise<Listener>>();

  constructor(options: ServerOptions) {
    const { maxPeers = 100_000, maxBlocked = 10_000 } = options;
    const { log = silent, clock = systemClock } = options;
    const token = checkToken('token', options.token);
    this.#stateDriver = new StateDriver({
      clock: checkMethods('clock', clock, ['now', 'setTimeout', 'clearTimeout']),
      log: checkMethods('log', log, ['warn', 'error']),
      maxPeers: checkCount('maxPeers', maxPeers, 1),
      maxBlocked: checkCount('maxBlocked', maxBlocked, 0),
    });
    this.#hasToken = token !== undefined;
    this.app = createApp(this.#stateDriver, token);
    this.configure(options.semaphores);
  }

  /**
   * Replaces the configured semaphores. Held and pending locks stay. If a full count was lowered, no lock is granted
   * until enough has been released. A semaphore that is no longer configured exists until its last lock is released.
   *
   * @throws HeadgateError for an invalid semaphore. Nothing has changed then.
   */
  configure(semaphores: SemaphoresOptions): void {
    const settings = semaphoresFrom(semaphores);
    if (settings.size === 0) this.#stateDriver.log.warn('No semaphores configured.');
    this.#stateDriver.state.configure(settings);
  }

  /**
   * Listens on a port or a unix socket. Resolves when it accepts connections. Rejects for an invalid option, if the
   * address is in use, and after `close()`.
   */
  async listen(options: ListenOptions = {}): Promise<Listener> {
    if (this.#stateDriver.isClosing)
      throw new HeadgateError('ERR_HEADGATE_CLOSED', 'the server is closed');
    const listening = listen(this.app, options, this.#stateDriver.log);
    this.#listeners.add(listening);
    const { url } = await listening;
    if (!this.#hasToken && options.socket === undefined && !loopback.test(url)) {
      const risk = 'every client that can reach it can release any lock';
      this.#stateDriver.log.warn(`${url} is not on loopback, and no token is set: ${risk}.`);
    }
    return listening;
  }

  /**
   * Answers blocked requests with 202 and closes all listeners. Connections still open after half a second are
   * destroyed.
   */
  async close(): Promise<void> {
    this.#stateDriver.close();
    const closed = Array.from(this.#listeners, (listening) =>
      listening.then(
        (listener) => listener.close(),
        // Ignored, since the caller of `listen` has received the error.
        () => {},
      ),
    );
    await Promise.all(closed);
  }
}
