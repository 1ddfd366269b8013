import type { NodeRedisClient } from './client.ts';
import { type Connection, type Ear, onAll, type Watcher } from './connection.ts';

/** What node-redis can do beyond what is asked of the user's object. */
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

  get isReady(): boolean {
    // One that is not open refuses calls.
    return this.isClosed || this.#client.isReady !== false;
  }

  get isUp(): boolean {
    return !this.isClosed && this.isReady;
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
      ready: up,
      // Of a cluster, which does not say more.
      connect: () => {
        if (this.isReady) up();
      },
      reconnecting: lost,
      end: lost,
      error: (error) => {
        this.lastError = error;
        if (this.#client.isReady === false) lost();
      },
    });
  }

  async subscribe(
    channel: string,
    heard: (message: string) => void,
    lost: () => void,
  ): Promise<Ear> {
    const node = await this.#node();
    const socket = { ...node.options?.socket, reconnectStrategy: false };
    const ear = node.duplicate({ socket, clientSideCache: undefined });
    const stop = onAll(ear, { end: lost, error: lost });
    ear.on('error', () => {});
    const close = () => {
      stop();
      if (ear.isOpen) ear.destroy();
    };
    try {
      await ear.connect();
      // Whoever is otherwise done may end.
      ear.unref();
      await ear.subscribe(channel, heard);
      return { close };
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Any node of a cluster hears what is published at another. */
  async #node(): Promise<Single> {
    if (!('nodeClient' in this.#client)) return this.#client as unknown as Single;
    const cluster = this.#client as unknown as Cluster;
    const node = cluster.masters[Math.floor(Math.random() * cluster.masters.length)];
    if (node === undefined) throw new Error('the cluster has no nodes yet');
    return cluster.nodeClient(node);
  }
}
