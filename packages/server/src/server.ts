import { type Clock, systemClock } from '@headgate/core';
import { checkCount, checkNames, checkToken } from '@headgate/core/shared';
import type { Hono } from 'hono';
import { createApp } from './http/app.ts';
import { type Listener, type ListenOptions, listen } from './http/listen.ts';
import { type Log, silent } from './log.ts';
import { type SemaphoresOptions, semaphoresFrom } from './semaphores.ts';
import { Service } from './service.ts';

export interface ServerOptions {
  /** Full counts and levels by name. */
  readonly semaphores: SemaphoresOptions;
  /** Requests must have `Authorization: Bearer <token>`, all but `/health`. Default: nobody is asked. */
  readonly token?: string | undefined;
  /** How many peers there may be at once; more are answered 503. Default: 100,000. */
  readonly maxPeers?: number | undefined;
  /** How many requests may be blocked at once; more are answered 503, and their locks wait on. Default: 10,000. */
  readonly maxBlocked?: number | undefined;
  /** Is told what happens: a pino logger, for one. Default: nobody is. */
  readonly log?: Log | undefined;
  /** Time and timers: a test supplies its own. */
  readonly clock?: Clock | undefined;
}

const names = ['semaphores', 'token', 'maxPeers', 'maxBlocked', 'log', 'clock'];

/**
 * Semaphores over HTTP, in the protocol of pacman82/throttle. Its state is in memory: after a restart clients restore
 * what they hold.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function createServer(options: ServerOptions): Server {
  checkNames('createServer', options, names);
  return new Server(options);
}

/** What `createServer` makes. */
export class Server {
  /** Serves the routes wherever Hono runs: `other.mount('/throttle', server.app.fetch)`. */
  readonly app: Hono;
  readonly #service: Service;
  readonly #listeners = new Set<Listener>();

  constructor(options: ServerOptions) {
    const { maxPeers = 100_000, maxBlocked = 10_000 } = options;
    const { log = silent, clock = systemClock } = options;
    const token = checkToken('token', options.token);
    this.#service = new Service({
      clock,
      log,
      maxPeers: checkCount('maxPeers', maxPeers, 1),
      maxBlocked: checkCount('maxBlocked', maxBlocked, 0),
    });
    this.app = createApp(this.#service, token);
    this.configure(options.semaphores);
  }

  /**
   * From now on there are these semaphores. Locks that are held or pending stay: after a full count was lowered nothing
   * is granted until enough came back, and a semaphore that is not named any more lives until nobody needs it.
   *
   * @throws HeadgateError where a semaphore makes no sense; then nothing has changed.
   */
  configure(semaphores: SemaphoresOptions): void {
    const settings = semaphoresFrom(semaphores);
    if (settings.size === 0) this.#service.log.warn('No semaphores configured.');
    this.#service.state.configure(settings);
  }

  /** Opens a port of its own, or a unix socket; resolves when it can be reached. Rejects where it is taken. */
  async listen(options: ListenOptions = {}): Promise<Listener> {
    const listener = await listen(this.app, options, this.#service.log);
    this.#listeners.add(listener);
    return listener;
  }

  /** Answers blocked requests with 202, and closes what `listen` has opened, after half a second in any case. */
  async close(): Promise<void> {
    this.#service.close();
    await Promise.all(Array.from(this.#listeners, (listener) => listener.close()));
    this.#listeners.clear();
  }
}
