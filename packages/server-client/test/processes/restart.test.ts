import { restartSuite } from '@headgate/test-servers/processes';
import { vi } from 'vitest';
import { useService } from '../service.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers();
const service = await useService({});

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  restartSuite(`ended by ${signal}`, {
    start: async (options) => {
      const processes = await workers.start(2, service, options);
      // On a busy machine, the first call of a process takes longer than a call's timeout.
      for (const one of processes) await vi.waitFor(() => one.do('stored'), 10_000);
      return processes as [RemoteLimiter, RemoteLimiter];
    },
    away: () => service.kill(signal),
    back: () => service.launch(),
  });
}
