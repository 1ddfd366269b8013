import { redisStore } from '@headgate/redis';
import type { Store } from '@headgate/store-kit';
import { type LimitSettings, type Tell, WorkerLimiter } from '@headgate/test-servers/processes';
import { concurrencyApp } from './app.ts';
import type { Connected, ConnectOptions } from './connect.ts';

/** The settings of the shared limit that a process receives. */
export interface Settings extends LimitSettings, ConnectOptions {}

/** A limiter with its own client. */
export class RedisWorkerLimiter extends WorkerLimiter {
  readonly #app: Connected;
  readonly #redis: Store;
  readonly #server: ReturnType<typeof concurrencyApp>;

  constructor(app: Connected, settings: Settings, tell: Tell) {
    const { lease, timeout, saving, limiter } = settings;
    const store = redisStore({ client: app.client, leaseDuration: lease, timeout, ...saving });
    super(store, limiter, tell);
    this.#redis = store;
    this.#app = app;
    this.#server = concurrencyApp(this.limiter, tell);
  }

  /** Sends a command on the app's own client. */
  async ping(): Promise<string> {
    return this.#app.ping();
  }

  /** Whether messages do not arrive, as far as the store knows. */
  isMuted(): boolean {
    return this.#redis.activity().muted;
  }

  quit(): void {
    this.#app.close();
  }

  /** Changes the clock of this process. */
  skew(ms: number): void {
    const real = Date.now;
    Date.now = () => real() + ms;
  }

  close(): Promise<number> {
    return this.limiter.close({ timeout: 5_000 });
  }

  listen(): Promise<number> {
    return this.#server.listen();
  }

  finish(request: number): void {
    this.#server.finish(request);
  }

  override async end(): Promise<void> {
    this.#server.close();
    // Once it is closed, the store no longer handles errors, and a client may print them until it is closed, too.
    this.#app.client.on('error', () => {});
    await super.end();
    this.#app.close();
  }
}
