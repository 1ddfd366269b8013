import { serve } from '@headgate/chaos/worker';
import { postgresStore } from '../../src/index.ts';

await serve((connect: string, times) =>
  postgresStore({ connect, leaseDuration: times.lease, timeout: times.timeout }),
);
