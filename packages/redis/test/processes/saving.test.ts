import { type RedisServer, startRedis } from '@headgate/test-servers';
import { savingSuite } from '@headgate/test-servers/processes';
import { afterAll, beforeAll } from 'vitest';
import { useCrew } from './crew.ts';

const crew = useCrew();
const lease = 1_200;
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

savingSuite({
  start: (count, options) => crew.start(count, redis, { lease, ...options }),
  back: lease + 5_000,
});
