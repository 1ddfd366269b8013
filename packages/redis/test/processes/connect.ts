import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisClient } from '../../src/client.ts';

/** An app's own client, without error handlers. */
export interface Connected {
  readonly client: RedisClient;
  ping(): Promise<string>;
  close(): void;
}

export interface ConnectOptions {
  /** Ports of one server, or of the nodes of a cluster. */
  readonly ports: readonly number[];
  /** The client library. Default: ioredis. */
  readonly library?: 'node-redis' | undefined;
  /** Options for ioredis. */
  readonly client?: Omit<RedisOptions, 'replyMapping'> | undefined;
}

const host = '127.0.0.1';
const again = () => 20;

export async function connect({ ports, library, client = {} }: ConnectOptions): Promise<Connected> {
  const port = ports[0] as number;
  if (library === 'node-redis') return connectNodeRedis(port);
  const redis =
    ports.length > 1
      ? new Cluster(ports.map((port) => ({ host, port })))
      : new Redis({ host, port, retryStrategy: again, ...client });
  const ping = async () => String(await redis.ping());
  return { client: redis, ping, close: () => redis.disconnect() };
}

async function connectNodeRedis(port: number): Promise<Connected> {
  // Loaded on demand: it would delay the start of every process.
  const { createClient } = await import('redis');
  const client = createClient({ socket: { host, port, reconnectStrategy: again } });
  // The client retries; its first attempt may fail.
  client.connect().catch(() => {});
  const close = () => {
    if (client.isOpen) client.destroy();
  };
  return { client, ping: () => client.ping(), close };
}
