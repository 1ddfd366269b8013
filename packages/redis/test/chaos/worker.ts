import { serve } from '@headgate/chaos/worker';
import { redisStore } from '../../src/index.ts';
import { connect, type Way } from './connect.ts';

await serve(async (way: Way, times) => {
  return redisStore({
    client: (await connect(way)) as never,
    leaseDuration: times.lease,
    timeout: times.timeout,
  });
});
