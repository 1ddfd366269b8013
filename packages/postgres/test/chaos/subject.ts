import type { Subject } from '@headgate/chaos';
import { single } from './ground.ts';

/**
 * PostgreSQL. The lease is longer than the second after which the leases of a process that is considered dead expire.
 */
export const subject: Subject = {
  worker: new URL('worker.ts', import.meta.url),
  lease: 2_700,
  timeout: 500,
  certain: 1_000,
  back: 1_500,
  costless: {
    'cut connections': Infinity,
    'cut connections, for all': Infinity,
    'cancel statements': Infinity,
    'refuse notifications': Infinity,
    TRUNCATE: 500,
  },
  grounds: { single },
};
