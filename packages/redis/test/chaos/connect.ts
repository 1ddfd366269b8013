import { setTimeout as sleep } from 'node:timers/promises';

const libraries = ['ioredis', 'redis', 'ioredis5', 'redis5'] as const;

/** How a worker reaches Redis. */
export interface Way {
  readonly library: (typeof libraries)[number];
  readonly cluster: boolean;
  /** Of the server, or of the nodes of the cluster. */
  readonly ports: readonly number[];
}

/** How soon a lost connection is tried again, in milliseconds. */
const retry = 50;

/** Each library has its turn. */
export function wayOf(slot: number, about: Omit<Way, 'library'>): Way {
  return { library: libraries[slot % libraries.length] ?? 'ioredis', ...about };
}

/** A client of the library that is named, which goes on for ever trying to connect. */
export async function connect(way: Way): Promise<unknown> {
  const client = await make(way);
  // Where nobody listens, an error event ends the process. The application's own duty is its own client.
  client.on('error', () => {});
  return client;
}

async function make({ library, cluster, ports }: Way) {
  const [port = 0] = ports;
  const nodes = ports.map((of) => ({ host: '127.0.0.1', port: of }));
  if (library.startsWith('ioredis')) {
    const { Cluster, Redis } = (await import(library)) as typeof import('ioredis');
    if (cluster) return new Cluster(nodes, { clusterRetryStrategy: () => retry });
    return new Redis({ host: '127.0.0.1', port, retryStrategy: () => retry });
  }
  const { createClient, createCluster } = (await import(library)) as typeof import('redis');
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

/** A worker may begin in the middle of a fault; a cluster's first attempt is its only one. */
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
