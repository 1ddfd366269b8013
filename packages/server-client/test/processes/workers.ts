import * as processes from '@headgate/test-servers/processes';
import { type LimitOptions, limitSettings } from '@headgate/test-servers/processes';
import type { ServerWorkerLimiter, Settings } from './worker-limiter.ts';

export type RemoteLimiter = processes.RemoteLimiter<ServerWorkerLimiter>;

/** Sets up the workers for the tests of one file; `stock` processes are started in advance. */
export function useWorkers(stock = 0) {
  const program = new URL('./worker.ts', import.meta.url);
  return processes.useWorkers<ServerWorkerLimiter, [{ readonly url: string }, LimitOptions]>(
    program,
    ({ url }, options) => ({ url, ...limitSettings(options) }) satisfies Settings,
    stock,
  );
}
