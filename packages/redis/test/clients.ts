import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis';
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5';
import { createClient as create6, createCluster as createCluster6 } from 'redis';
import { createClient as create5, createCluster as createCluster5 } from 'redis5';
import type { RedisClient } from '../src/client.ts';

/** A client of the app, created with one of the libraries. */
export interface AppClient {
  readonly client: RedisClient;
  /** Like an app that handles no error events. */
  close(): Promise<void>;
}

export interface Library {
  readonly name: string;
  connect(port: number): AppClient;
  cluster(ports: readonly number[]): AppClient;
}

const host = '127.0.0.1';

function ofIoredis(client: Redis5 | Redis6 | Cluster5 | Cluster6): AppClient {
  return { client: client as RedisClient, close: async () => client.disconnect() };
}

type Opened = RedisClient & { connect(): Promise<unknown>; destroy(): void; isOpen: boolean };

function ofNodeRedis(client: Opened): AppClient {
  // A server that is down does not fail the test: the client retries.
  client.connect().catch(() => {});
  const close = async () => {
    if (client.isOpen) client.destroy();
  };
  return { client, close };
}

const reconnectStrategy = () => 30;
const retryStrategy = () => 30;

export const libraries: readonly Library[] = [
  {
    name: 'ioredis 5',
    connect: (port) => ofIoredis(new Redis5({ port, host, retryStrategy })),
    cluster: (ports) => ofIoredis(new Cluster5(ports.map((port) => ({ host, port })))),
  },
  {
    name: 'ioredis 6',
    connect: (port) => ofIoredis(new Redis6({ port, host, retryStrategy })),
    cluster: (ports) => ofIoredis(new Cluster6(ports.map((port) => ({ host, port })))),
  },
  {
    name: 'node-redis 5',
    connect: (port) => ofNodeRedis(create5({ socket: { host, port, reconnectStrategy } })),
    cluster: (ports) =>
      ofNodeRedis(createCluster5({ rootNodes: ports.map((port) => ({ socket: { host, port } })) })),
  },
  {
    name: 'node-redis 6',
    connect: (port) => ofNodeRedis(create6({ socket: { host, port, reconnectStrategy } })),
    cluster: (ports) =>
      ofNodeRedis(createCluster6({ rootNodes: ports.map((port) => ({ socket: { host, port } })) })),
  },
];

export function library(name: string): Library {
  const found = libraries.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no library ${name}`);
  return found;
}
