import * as processes from '@headgate/test-servers/processes';
import { type LimitOptions, limitSettings } from '@headgate/test-servers/processes';
import type { PostgresInstance, Settings } from './instance.ts';

export type { Held, Waiting } from '@headgate/test-servers/processes';
export type Limited = processes.Limited<PostgresInstance>;

interface Server {
  readonly port: number;
}

interface Options extends LimitOptions, Partial<Pick<Settings, 'url' | 'poolUrl' | 'pool'>> {}

/** For the tests of one file. */
export function useCrew() {
  const program = new URL('./worker.ts', import.meta.url);
  return processes.useCrew<PostgresInstance, [Server, Options]>(program, (server, options) => {
    const { url = urlOf(server), poolUrl, pool, ...limit } = options;
    return { url, poolUrl, pool, ...limitSettings(limit) } satisfies Settings;
  });
}

function urlOf({ port }: Server): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}
