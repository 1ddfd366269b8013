import * as processes from '@headgate/test-servers/processes';
import { type LimitOptions, limitSettings } from '@headgate/test-servers/processes';
import { vi } from 'vitest';
import type { PostgresWorkerLimiter, Settings } from './worker-limiter.ts';

export type RemoteLimiter = processes.RemoteLimiter<PostgresWorkerLimiter>;

interface Place {
  readonly url: string;
}

interface Options extends LimitOptions, Partial<Pick<Settings, 'poolUrl' | 'pool'>> {}

/** Sets up the workers for the tests of one file. */
export function useWorkers() {
  const program = new URL('./worker.ts', import.meta.url);
  return processes.useWorkers<PostgresWorkerLimiter, [Place, Options]>(
    program,
    ({ url }, options) => {
      const { poolUrl, pool, ...limit } = options;
      return { url, poolUrl, pool, ...limitSettings(limit) } satisfies Settings;
    },
  );
}

/** Resolves when these processes are connected: a short lease leaves little time for that on a busy machine. */
export async function connected(processes: RemoteLimiter[]): Promise<RemoteLimiter[]> {
  await Promise.all(processes.map((one) => vi.waitFor(() => one.do('stored'), 10_000)));
  return processes;
}
