import type { Times, Verifier } from '@headgate/chaos';
import { Cluster, Redis } from 'ioredis';
import { redisStore } from '../../src/index.ts';

export function connectVerifier(port: number, isCluster: boolean, times: Times): Verifier {
  const { lease, timeout } = times;
  const client = isCluster
    ? new Cluster([{ host: '127.0.0.1', port }], { clusterRetryStrategy: () => 50 })
    : new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50 });
  client.on('error', () => {});
  const store = redisStore({ client, leaseDuration: lease, timeout });
  const close = async () => {
    await store.close();
    client.disconnect();
  };
  return { store, close };
}
