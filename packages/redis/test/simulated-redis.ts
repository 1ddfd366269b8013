import { HeadgateError } from '@headgate/core';
import type { Store } from '@headgate/store-kit';
import type {
  InterleavingOptions,
  InterleavingServer,
  Network,
  SuiteTimes,
} from '@headgate/test-suite';
import type { Redis } from 'ioredis';
import type { Connection, SubscribeOptions, Subscriber, Watcher } from '../src/connection.ts';
import { redisKey } from '../src/key.ts';
import { RedisStore } from '../src/redis-store.ts';
import { statsScript } from '../src/stats.lua.ts';

/** Milliseconds without an answer after which a client drops its connection, like a client with a command timeout. */
const CLIENT_TIMEOUT = 2_500;

/**
 * A real Redis with the test's clock, whose messages go through the simulated network. Its scripts are those of the
 * store, except that they receive the time as an argument, and collect published messages in a list.
 */
export class SimulatedRedis implements InterleavingServer {
  readonly #channels = new Map<
    string,
    { connection: symbol; heard(message: string): void; lost(): void }
  >();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #began = Date.now() * 1_000 - performance.now() * 1_000;
  readonly #prefix: string;

  constructor(
    private readonly redis: Redis,
    readonly options: InterleavingOptions,
    serial: number,
  ) {
    this.#prefix = `run ${serial}:`;
  }

  connect(times: SuiteTimes): Store {
    const connection = new SimulatedConnection(this);
    return new RedisStore(connection, this.#prefix, times);
  }

  async count() {
    const key = redisKey(this.#prefix, { name: this.options.name });
    const [, , inflight, , queued] = String(await this.run(statsScript, key, [])).split('\n');
    return { inflight: Number(inflight), queued: Number(queued) };
  }

  get network(): Network {
    return this.options.network;
  }

  /** A command that has reached the server is executed, even if the connection is reset. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  run(source: string, key: string, args: readonly string[]): Promise<unknown> {
    const running = this.#run(source, key, args);
    const settled = running.then(
      () => {},
      () => {},
    );
    this.#pending.add(settled);
    settled.then(() => this.#pending.delete(settled));
    return running;
  }

  subscribe(
    channel: string,
    connection: symbol,
    heard: (message: string) => void,
    lost: () => void,
  ): void {
    this.#channels.set(channel, { connection, heard, lost });
  }

  unsubscribe(channel: string, connection: symbol): void {
    if (this.#channels.get(channel)?.connection === connection) this.#channels.delete(channel);
  }

  async #run(source: string, key: string, args: readonly string[]): Promise<unknown> {
    const script = source
      .replace("redis.call('TIME')", timeGiven)
      .replace("call('TIME')", timeGiven)
      .replaceAll(/redis\.p?call\('PUBLISH',/g, "redis.call('RPUSH', KEYS[3],");
    const now = `${Math.floor(this.#began + performance.now() * 1_000)}`;
    const outbox = `${this.#prefix}outbox`;
    const reply = await this.redis.eval(script, 3, key, now, outbox, ...args);
    const published = await this.redis.lpop(outbox, 1_000);
    for (let at = 0; at < (published?.length ?? 0); at += 2) {
      const [channel = '', message = ''] = published?.slice(at, at + 2) ?? [];
      const to = this.#channels.get(channel);
      if (to === undefined) continue;
      const name = `message: ${message.split('\n')[0]}`;
      const lost = () => {
        this.unsubscribe(channel, to.connection);
        to.lost();
      };
      this.network.notify(to.connection, name, () => to.heard(message), lost);
    }
    return reply;
  }
}

const timeGiven = '{ math.floor(KEYS[2] / 1000000), KEYS[2] % 1000000 }';

/** A client from the store's perspective: one connection for calls, another for the subscription. */
class SimulatedConnection implements Connection {
  isConnecting = false;
  isUp = true;
  isClosed = false;
  lastError: unknown;
  #watcher: Watcher | undefined;
  #calls = Symbol('calls');

  constructor(private readonly server: SimulatedRedis) {}

  /** Like a server without the script; uses up no step of the network. */
  evalsha(): Promise<unknown> {
    return Promise.reject(new Error('NOSCRIPT'));
  }

  eval(source: string, key: string, args: string[]): Promise<unknown> {
    const connection = this.#calls;
    const apply = () => this.server.run(source, key, args);
    const name = `calls: ${args.filter((word) => /^(acquire|stay|renew|register|release|resize|setLimit)$/.test(word)).join(', ') || 'other'}`;
    const timer = setTimeout(() => this.#fail(connection), CLIENT_TIMEOUT);
    return this.server.network
      .send({ connection, name, apply }, () => {
        this.#fail(connection);
        return new Error('Connection is closed.');
      })
      .finally(() => clearTimeout(timer));
  }

  watch(watcher: Watcher): () => void {
    this.#watcher = watcher;
    return () => {
      this.#watcher = undefined;
    };
  }

  async subscribe({ channel, heard, lost, signal }: SubscribeOptions): Promise<Subscriber> {
    const connection = Symbol('subscription');
    const close = () => this.server.unsubscribe(channel, connection);
    signal.addEventListener('abort', close, { once: true });
    const apply = async () => this.server.subscribe(channel, connection, heard, lost);
    await this.server.network.send(
      { connection, name: 'subscribe', apply },
      () => new Error('lost'),
    );
    return { close };
  }

  /** The client notices that its connection is unusable, and immediately has another one. */
  #fail(connection: symbol): void {
    if (connection !== this.#calls) return;
    this.#calls = Symbol('calls');
    this.#watcher?.down(new HeadgateError('ERR_HEADGATE_STORE_DOWN', 'reset'));
    this.#watcher?.up();
  }
}
