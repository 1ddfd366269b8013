import type { StoreUnderTest } from '@headgate/chaos';
import { cluster } from './cluster.ts';
import { failover } from './failover.ts';
import { single } from './single.ts';

const lease = 1_000;

/** Redis: a single server, a cluster, and a server with a replica. */
export const storeUnderTest: StoreUnderTest = {
  worker: new URL('worker.ts', import.meta.url),
  lease,
  timeout: 300,
  certain: lease,
  maxRecovery: lease,
  maxDurationWithoutLoss: {
    'cut connections': Infinity,
    'cut connections, for all': Infinity,
    'CLIENT KILL': Infinity,
    'CLIENT KILL of subscribers': Infinity,
    'overflow of subscribers': Infinity,
    // Holders renew: permits survive without the server for 0.56 of a lease.
    FLUSHALL: lease / 2,
    'restart the server': lease / 2,
  },
  environments: { single, cluster, failover },
};
