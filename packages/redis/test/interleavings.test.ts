import { interleavingSuite } from '@headgate/test-suite';
import { useServer } from './server.ts';
import { SimulatedRedis } from './simulated-redis.ts';

const { admin } = await useServer();
await admin.ping();
let latest: SimulatedRedis;
let serial = 0;

interleavingSuite({
  name: 'redisStore',
  start: (options) => {
    latest = new SimulatedRedis(admin, options, ++serial);
    return latest;
  },
  settled: () => latest.settled(),
  runs: 15,
});
