import type { Subject } from '@headgate/chaos';
import { single } from './ground.ts';

const lease = 1_500;

/** The semaphore service. */
export const subject: Subject = {
  worker: new URL('worker.ts', import.meta.url),
  lease,
  timeout: 500,
  certain: lease,
  back: lease,
  grounds: { single },
};
