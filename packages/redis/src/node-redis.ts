import type { Connection, SubscribeOptions, Subscriber, Watcher } from './connection.ts';
import { onAll } from './connection.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: what the library's generic methods can be called with
/** The members of node-redis' `createClient()` and `createCluster()` that the store uses. */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  evalSha(...args: any[]): Promise<unknown>;
  eval(...args: any[]): Promise<unknown>;
  duplicate(...args: any[]): unknown;
  destroy(): void;
  on(event: string, listener: (...args: any[]) => void): unknown;
  off(event: string, listener: (...args: any[]) => void): unknown;
}
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** Further members of node-redis' own clients. */
interface Single extends NodeRedisClient {
  readonly isReady: boolean;
  readonly options?: { readonly socket?: object };
  connect(): Promise<unknown>;
  unref(): void;
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
  duplicate(options: object): Single;
}

interface Cluster extends NodeRedisClient {
  readonly masters: readonly object[];
  nodeClient(node: object): Promise<Single>;
}

export class NodeRedisConnection implements Connection {
  lastError: unknown;
  readonly #client: NodeRedisClient & { readonly isReady?: boolean };

  constructor(client: NodeRedisClient) {
    this.#client = client;
  }

  get isConnecting(): boolean {
    // Excludes a client that is not open, which rejects calls, and a cluster, which has no `isReady`.
    return !this.isClosed && this.#client.isReady === false;
  }

  get isUp(): boolean {
    return !this.isClosed && !this.isConnecting;
  }

  get isClosed(): boolean {
    return !this.#client.isOpen;
  }

  evalsha(sha: string, key: string, args: string[]): Promise<unknown> {
    return this.#client.evalSha(sha, { keys: [key], arguments: args });
  }

  eval(script: string, key: string, args: string[]): Promise<unknown> {
    return this.#client.eval(script, { keys: [key], arguments: args });
  }

  watch({ up, down }: Watcher): () => void {
    const lost = () => down(this.lastError);
    return onAll(this.#client, {
      ready: () => {
        this.lastError = undefined;
        up();
      },
      // A cluster emits no `ready`.
      connect: () => {
        if (!this.isConnecting) up();
      },
      reconnecting: lost,
      end: lost,
      error: (error) => {
        this.lastError = error;
        if (this.#client.isReady === false) lost();
      },
    });
  }

  async subscribe({ channel, heard, lost, signal }: SubscribeOptions): Promise<Subscriber> {
    const node = await this.#node();
    const socket = { ...node.options?.socket, reconnectStrategy: false };
    const subscriber = node.duplicate({ socket, clientSideCache: undefined });
    const stop = onAll(subscriber, { end: lost, error: lost });
    subscriber.on('error', () => {});
    const close = () => {
      stop();
      if (subscriber.isOpen) subscriber.destroy();
    };
    signal.addEventListener('abort', close, { once: true });
    try {
      signal.throwIfAborted();
      await subscriber.connect();
      // The connection must not keep the process alive.
      subscriber.unref();
      await subscriber.subscribe(channel, heard);
      return { close };
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Any node will do: in a cluster, every node receives the messages published on any other. */
  async #node(): Promise<Single> {
    if (!('nodeClient' in this.#client)) return this.#client as unknown as Single;
    const cluster = this.#client as unknown as Cluster;
    const node = cluster.masters[Math.floor(Math.random() * cluster.masters.length)];
    if (node === undefined) throw new Error('the cluster has no nodes yet');
    return cluster.nodeClient(node);
  }
}
