import { redisStore } from '@headgate/redis';
import type { Store } from '@headgate/store-kit';
import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster } from 'redis';

export const stores: Store[] = [
  redisStore({ client: new Redis() }),
  redisStore({ client: new Cluster([{ port: 7000 }]) }),
  redisStore({ client: createClient() }),
  redisStore({ client: createCluster({ rootNodes: [] }), leaseDuration: 5_000 }),
];
