import { serve } from '@headgate/chaos/worker';
import { throttleStore } from '../../src/index.ts';

await serve((url: string, times) =>
  throttleStore({ url, leaseDuration: times.lease, timeout: times.timeout }),
);
