import { serve } from '@headgate/chaos/worker';
import { redisStore } from '../../src/index.ts';
import { type ConnectionSettings, connect } from './connect.ts';

await serve(async (connectionSettings: ConnectionSettings, times) => {
  return redisStore({
    client: (await connect(connectionSettings)) as never,
    leaseDuration: times.lease,
    timeout: times.timeout,
  });
});
