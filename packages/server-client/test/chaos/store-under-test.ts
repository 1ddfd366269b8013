import type { StoreUnderTest } from '@headgate/chaos';
import { single } from './environment.ts';

const lease = 1_500;

/** The semaphore service. */
export const storeUnderTest: StoreUnderTest = {
  worker: new URL('worker.ts', import.meta.url),
  lease,
  timeout: 500,
  certain: lease,
  maxRecovery: lease,
  maxDurationWithoutLoss: {
    'cut connections': Infinity,
    'cut connections, for all': Infinity,
    'silence one connection': Infinity,
    // Holders restore their permits: permits survive without the service for 0.56 of a lease.
    'restart the service': lease / 2,
    'kill the service': lease / 2,
  },
  environments: { single },
};
