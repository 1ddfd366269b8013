import type { Connection, SubscribeOptions, Subscriber, Watcher } from './connection.ts';
import { onAll } from './connection.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: what the library's generic methods can be called with
/** The members of ioredis' `Redis` and `Cluster` that the store uses. */
export interface IoredisClient {
  readonly status: string;
  evalsha(...args: any[]): Promise<unknown>;
  eval(...args: any[]): Promise<unknown>;
  duplicate(...args: any[]): unknown;
  on(event: string, listener: (...args: any[]) => void): unknown;
  off(event: string, listener: (...args: any[]) => void): unknown;
}
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** Further members of ioredis' own classes. */
interface Single extends IoredisClient {
  readonly stream?: { unref?(): void };
  connect(): Promise<void>;
  subscribe(channel: string): Promise<unknown>;
  disconnect(): void;
  duplicate(options: object): Single;
}

interface Cluster extends IoredisClient {
  nodes(role: 'master'): Single[];
}

/** The subscriber must not reconnect: the store opens another one, which in a cluster may use a different node. */
const SUBSCRIBER_OPTIONS = {
  lazyConnect: true,
  autoResubscribe: false,
  retryStrategy: () => null,
  reconnectOnError: null,
  // The prefix would be added to the channel as well.
  keyPrefix: '',
};

export class IoredisConnection implements Connection {
  lastError: unknown;
  readonly #client: IoredisClient;

  constructor(client: IoredisClient) {
    this.#client = client;
  }

  get isConnecting(): boolean {
    const { status } = this.#client;
    // A client in state 'wait' connects with the first call; in state 'end', it rejects calls.
    return status !== 'ready' && status !== 'wait' && status !== 'end';
  }

  get isUp(): boolean {
    return this.#client.status === 'ready';
  }

  get isClosed(): boolean {
    return this.#client.status === 'end';
  }

  evalsha(sha: string, key: string, args: string[]): Promise<unknown> {
    return this.#client.evalsha(sha, 1, key, ...args);
  }

  eval(script: string, key: string, args: string[]): Promise<unknown> {
    return this.#client.eval(script, 1, key, ...args);
  }

  watch({ up, down, repeats }: Watcher): () => void {
    return onAll(this.#client, {
      ready: () => {
        this.lastError = undefined;
        up();
      },
      close: () => {
        repeats();
        down(this.lastError);
      },
      // A cluster emits this event for the connection to one node.
      '-node': repeats,
      end: () => down(this.lastError),
      error: (error) => {
        this.lastError = error;
      },
    });
  }

  async subscribe({ channel, heard, lost, signal }: SubscribeOptions): Promise<Subscriber> {
    const subscriber = this.#node().duplicate(SUBSCRIBER_OPTIONS);
    const stop = onAll(subscriber, {
      message: (_, message) => heard(String(message)),
      end: () => lost(),
    });
    let emitted: unknown;
    subscriber.on('error', (error) => {
      emitted = error;
    });
    const close = () => {
      stop();
      // If the connection has ended, disconnect() would keep the process alive for a while.
      if (subscriber.status !== 'end') subscriber.disconnect();
    };
    signal.addEventListener('abort', close, { once: true });
    try {
      signal.throwIfAborted();
      await subscriber.connect().catch((error) => {
        // If the server has ended the connection, the rejection says only that, and an earlier event has the reason.
        throw emitted ?? error;
      });
      // The connection must not keep the process alive.
      subscriber.stream?.unref?.();
      await subscriber.subscribe(channel);
      return { close };
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Any node will do: in a cluster, every node receives the messages published on any other. */
  #node(): Single {
    if (!('nodes' in this.#client)) return this.#client as Single;
    const nodes = (this.#client as Cluster).nodes('master');
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    if (node === undefined) throw new Error('the cluster has no nodes yet');
    return node;
  }
}
