import { restartSuite } from '@headgate/test-servers/processes';
import { describe, vi } from 'vitest';
import { useServer } from '../server.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

describe.each([undefined, 'node-redis'] as const)('with %s', async (library) => {
  const workers = useWorkers();
  const { server } = await useServer();

  restartSuite('killed', {
    start: async (options) => {
      const processes = await workers.start(2, server, { ...options, library });
      for (const one of processes) await vi.waitFor(() => one.do('stored'), 10_000);
      return processes as [RemoteLimiter, RemoteLimiter];
    },
    away: () => server.kill(),
    back: () => server.restart(),
  });
});
