import { serve } from '@headgate/chaos/worker';
import { serverStore } from '../../src/index.ts';

await serve((url: string, times) =>
  serverStore({ url, leaseDuration: times.lease, timeout: times.timeout }),
);
