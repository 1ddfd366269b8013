import {
  createLimiter,
  type Limiter,
  type Permit,
  type SharedLimiterOptions,
  type WaitOptions,
} from '@headgate/core';
import type { Store, StoreStats } from '@headgate/core/shared';
import { redisStore } from '@headgate/redis';
import type { RedisOptions } from 'ioredis';
import { concurrencyApp } from './app.ts';
import { type Connected, connect } from './connect.ts';
import { failureOf } from './failure.ts';

/** What a process is told of the limit that it shares. */
export interface Settings {
  /** Of one server, or of the nodes of a cluster. */
  readonly ports: readonly number[];
  /** Default: ioredis. */
  readonly library?: 'node-redis' | undefined;
  /** For ioredis. */
  readonly client?: Omit<RedisOptions, 'replyMapping'> | undefined;
  readonly lease?: number;
  readonly timeout?: number;
  readonly limiter: Omit<SharedLimiterOptions, 'store'>;
}

/** What happens, as the parent is told. */
export type Happening = { readonly kind: string } & Readonly<Record<string, unknown>>;

/** As another process sees it. */
export interface Granted {
  readonly fencing: bigint | undefined;
  readonly waited: number;
  /** Milliseconds by a clock that all processes have in common. */
  readonly at: number;
}

const kinds = ['queued', 'withdrawn', 'store', 'lost', 'reclaimed', 'conflict', 'resized'] as const;

function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A limiter on a store and a client of its own. Each method is called by the parent. */
export class Instance {
  readonly #app: Connected;
  readonly #store: Store;
  readonly #limiter: Limiter;
  readonly #permits = new Map<number, Permit>();
  readonly #aborts = new Map<number, AbortController>();
  readonly #server: ReturnType<typeof concurrencyApp>;

  constructor(settings: Settings, tell: (happening: Happening) => void) {
    const { lease, timeout, limiter } = settings;
    this.#app = connect(settings);
    this.#store = redisStore({ client: this.#app.client, lease, timeout });
    const observer = Object.fromEntries(
      kinds.map((kind) => [
        kind,
        ({ error, ...event }: { error?: unknown }) =>
          tell({ ...event, kind, error: error && failureOf(error) }),
      ]),
    );
    this.#limiter = createLimiter({ ...limiter, store: this.#store, observer });
    this.#server = concurrencyApp(this.#limiter, tell);
  }

  async acquire(serial: number, options: Omit<WaitOptions, 'signal'> = {}): Promise<Granted> {
    const abort = new AbortController();
    this.#aborts.set(serial, abort);
    const permit = await this.#limiter.acquire({ ...options, signal: abort.signal });
    const at = now();
    this.#aborts.delete(serial);
    this.#permits.set(serial, permit);
    return { fencing: permit.fencing, waited: permit.waited, at };
  }

  /** Resolves with what the signal says when it aborts. */
  async aborted(serial: number) {
    const { signal } = this.#permit(serial);
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }
    return failureOf(signal.reason);
  }

  isAborted(serial: number): boolean {
    return this.#permit(serial).signal.aborted;
  }

  abort(serial: number): void {
    this.#aborts.get(serial)?.abort(new Error('no longer wanted'));
  }

  release(serial: number): number {
    const at = now();
    this.#permit(serial).release();
    return at;
  }

  adjust(serial: number, weight: number): void {
    this.#permit(serial).adjust(weight);
  }

  fencing(serial: number): bigint | undefined {
    return this.#permit(serial).fencing;
  }

  setLimit(limit: number): void {
    this.#limiter.setLimit(limit);
  }

  stats() {
    return this.#limiter.stats();
  }

  stored(key?: string): Promise<StoreStats> {
    return this.#store.stats({ name: this.#limiter.name, key });
  }

  /** A command on the app's own client. */
  async ping(): Promise<string> {
    return this.#app.ping();
  }

  quit(): void {
    this.#app.close();
  }

  /** Works so many times under a permit, from so many callers at once; returns the most that were at work here. */
  async work(callers: number, times: number): Promise<number> {
    let [running, most] = [0, 0];
    const call = async () => {
      for (let i = 0; i < times; i++) {
        await this.#limiter.run(async () => {
          most = Math.max(most, ++running);
          await new Promise(setImmediate);
          running--;
        });
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    return most;
  }

  /** Steps the clock of this process. */
  skew(ms: number): void {
    const real = Date.now;
    Date.now = () => real() + ms;
  }

  close(): Promise<number> {
    return this.#limiter.close({ timeout: 5_000 });
  }

  listen(): Promise<number> {
    return this.#server.listen();
  }

  finish(request: number): void {
    this.#server.finish(request);
  }

  /** Leaves nothing behind for the next test. */
  async end(): Promise<void> {
    for (const permit of this.#permits.values()) permit.release();
    this.#server.close();
    await this.#limiter.close({ timeout: 0 });
    await this.#store.close();
    this.#app.close();
  }

  #permit(serial: number): Permit {
    const permit = this.#permits.get(serial);
    if (permit === undefined) throw new Error(`there is no permit ${serial}`);
    return permit;
  }
}
