import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from './plan.ts';

/** How soon a lost connection is tried again, in milliseconds. */
const retry = 50;

/** A client of the library that the plan names, which goes on for ever trying to connect. */
export async function connect(plan: Plan): Promise<unknown> {
  const client = await make(plan);
  // Where nobody listens, an error event ends the process. The application's own duty is its own client.
  client.on('error', () => {});
  return client;
}

async function make({ library, cluster, ports }: Plan) {
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
