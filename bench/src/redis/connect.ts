import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';

/** Every contender uses the same client library, with its own connections. */
export async function connect(port: number): Promise<Redis> {
  // Without reconnecting: a measurement that has lost its server has failed, and retries would keep the process alive.
  const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => null });
  await once(client, 'ready');
  return client;
}

/** @param port That of any node. */
export async function connectCluster(port: number): Promise<Cluster> {
  const client = new Cluster([{ host: '127.0.0.1', port }]);
  await once(client, 'ready');
  return client;
}
