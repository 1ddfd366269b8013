import type { Subject } from '@headgate/chaos';
import { cluster } from './cluster.ts';
import { failover } from './failover.ts';
import { single } from './single.ts';

const lease = 1_000;

/** Redis: alone, as a cluster, and with a replica. */
export const subject: Subject = {
  worker: new URL('worker.ts', import.meta.url),
  lease,
  timeout: 300,
  certain: lease,
  back: lease,
  grounds: { single, cluster, failover },
};
