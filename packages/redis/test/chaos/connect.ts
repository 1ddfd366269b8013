import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Each library is loaded only by workers that use it. Without node-redis 5, which never connects again if a connection
 * ends while it is being set up (https://github.com/redis/node-redis/issues/3346, fixed in 6.2).
 */
const libraries = {
  ioredis: () => import('ioredis'),
  redis: () => import('redis'),
  ioredis5: () => import('ioredis5') as unknown as Promise<typeof import('ioredis')>,
};
const names = Object.keys(libraries) as (keyof typeof libraries)[];

/** A worker's connection settings. */
export interface ConnectionSettings {
  readonly library: keyof typeof libraries;
  readonly cluster: boolean;
  /** Ports of the server, or of the cluster's nodes. */
  readonly ports: readonly number[];
}

/** Milliseconds until a lost connection is retried. */
const retry = 50;

/** The libraries are used in turn. */
export function settingsFor(
  slot: number,
  about: Omit<ConnectionSettings, 'library'>,
): ConnectionSettings {
  return { library: names[slot % names.length] ?? 'ioredis', ...about };
}

/** A client of the named library that retries to connect without end. */
export async function connect(connectionSettings: ConnectionSettings): Promise<unknown> {
  const client = await make(connectionSettings);
  // Without a listener, an error event ends the process; an app must add one to its own client.
  client.on('error', () => {});
  return client;
}

async function make({ library, cluster, ports }: ConnectionSettings) {
  const [port = 0] = ports;
  const nodes = ports.map((of) => ({ host: '127.0.0.1', port: of }));
  if (library === 'ioredis' || library === 'ioredis5') {
    const { Cluster, Redis } = await libraries[library]();
    if (cluster) return new Cluster(nodes, { clusterRetryStrategy: () => retry });
    return new Redis({ host: '127.0.0.1', port, retryStrategy: () => retry });
  }
  const { createClient, createCluster } = await libraries[library]();
  const socket = { reconnectStrategy: () => retry };
  const client = cluster
    ? createCluster({
        rootNodes: nodes.map((node) => ({ socket: node })),
        defaults: { socket },
      })
    : createClient({ socket: { ...socket, host: '127.0.0.1', port } });
  client.on('error', () => {});
  await untilConnected(client);
  return client;
}

/** A worker may start during a fault, and a cluster's first attempt is its only one. */
async function untilConnected(client: { connect(): Promise<unknown> }): Promise<void> {
  for (;;) {
    try {
      await client.connect();
      return;
    } catch {
      await sleep(retry);
    }
  }
}
