import * as processes from '@headgate/test-servers/processes';
import { type LimitOptions, limitSettings } from '@headgate/test-servers/processes';
import type { RedisWorkerLimiter, Settings } from './worker-limiter.ts';

export type { Held, Waiting } from '@headgate/test-servers/processes';
export type RemoteLimiter = processes.RemoteLimiter<RedisWorkerLimiter>;

interface Server {
  readonly port: number;
}

interface Options extends LimitOptions, Partial<Pick<Settings, 'library' | 'client'>> {}

/** Sets up the workers for the tests of one file; `stock` processes are started in advance. */
export function useWorkers(stock = 0) {
  const program = new URL('./worker.ts', import.meta.url);
  return processes.useWorkers<RedisWorkerLimiter, [Server | readonly Server[], Options]>(
    program,
    (server, { library, client, ...limit }) => {
      const ports = [server].flat().map(({ port }) => port);
      return { ports, library, client, ...limitSettings(limit) } satisfies Settings;
    },
    stock,
  );
}
