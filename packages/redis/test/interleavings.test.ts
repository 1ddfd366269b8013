import { type RedisServer, startRedis } from '@headgate/test-servers';
import { interleavingSuite } from '@headgate/test-suite';
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { SimulatedRedis } from './simulated-redis.ts';

let server: RedisServer;
let client: Redis;
let latest: SimulatedRedis;
let serial = 0;
beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.port);
  await client.ping();
});
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

interleavingSuite({
  name: 'redisStore',
  start: (options) => {
    latest = new SimulatedRedis(client, options, ++serial);
    return latest;
  },
  settled: () => latest.settled(),
  runs: 15,
});
