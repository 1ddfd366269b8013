import { redisStore } from '@headgate/redis';
import type { Store } from '@headgate/store-kit';
import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis';
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5';
import { createClient as create6, createCluster as createCluster6 } from 'redis';
import { createClient as create5, createCluster as createCluster5 } from 'redis5';
import { expectTypeOf } from 'vitest';

expectTypeOf(redisStore({ client: new Redis5() })).toEqualTypeOf<Store>();
redisStore({ client: new Redis6() });
redisStore({ client: new Cluster5([]) });
redisStore({ client: new Cluster6([]) });
redisStore({ client: create5() });
redisStore({ client: create6() });
redisStore({ client: create6({ RESP: 2, commandOptions: { timeout: 5 } }) });
redisStore({ client: createCluster5({ rootNodes: [] }) });
redisStore({ client: createCluster6({ rootNodes: [] }) });
redisStore({ client: new Redis6(), prefix: 'app:', leaseDuration: 5_000, timeout: 500 });
redisStore({ client: new Redis6(), handoff: 8, reserve: 2, name: 'limits' });

// @ts-expect-error a store needs a client
redisStore({});
// @ts-expect-error an address is not a client
redisStore({ client: 'redis://127.0.0.1' });
// @ts-expect-error milliseconds must be a number
redisStore({ client: new Redis6(), leaseDuration: '5s' });
