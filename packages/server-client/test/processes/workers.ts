import * as processes from '@headgate/test-servers/processes';
import { type LimitOptions, limitSettings } from '@headgate/test-servers/processes';
import type { FullCounts } from '../service.ts';
import type { ServerWorkerLimiter, Settings } from './worker-limiter.ts';

export type RemoteLimiter = processes.RemoteLimiter<ServerWorkerLimiter>;

interface Options extends LimitOptions {
  readonly limit: 1 | 2 | 3;
}

/** Maximum number of tests in a file: the service is configured with a limit for each from the start. */
export const most = 20;

export const nameOf = (limit: number, test: number) => `${limit} of test ${test}`;

export const semaphores: FullCounts = Object.fromEntries(
  [1, 2, 3].flatMap((limit) =>
    Array.from({ length: most }, (_, at) => [nameOf(limit, at + 1), limit]),
  ),
);

let tests = 0;

/** Sets up the workers for the tests of one file; `stock` processes are started in advance. */
export function useWorkers(stock = 0) {
  const program = new URL('./worker.ts', import.meta.url);
  return processes.useWorkers<ServerWorkerLimiter, [{ readonly url: string }, Options]>(
    program,
    ({ url }, options) => {
      const { name = nameOf(options.limit, ++tests) } = options;
      return { url, ...limitSettings({ ...options, name }) } satisfies Settings;
    },
    stock,
  );
}
