import type { StoreUnderTest } from '@headgate/chaos';
import { single } from './environment.ts';

/**
 * PostgreSQL. The lease is longer than the second after which the leases of a process that is considered dead expire.
 */
export const storeUnderTest: StoreUnderTest = {
  worker: new URL('worker.ts', import.meta.url),
  lease: 2_700,
  timeout: 500,
  certain: 1_000,
  maxRecovery: 1_500,
  maxDurationWithoutLoss: {
    'cut connections': Infinity,
    'cut connections, for all': Infinity,
    'cancel statements': Infinity,
    'refuse notifications': Infinity,
    TRUNCATE: 500,
  },
  environments: { single },
};
