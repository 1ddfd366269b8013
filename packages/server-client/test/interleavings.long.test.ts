import { systemClock } from '@headgate/core';
import { createServer } from '@headgate/server';
import { interleavingSuite } from '@headgate/test-suite';
import { ServerStore } from '../src/store/server-store.ts';
import { SimulatedTransport } from './simulated-transport.ts';

interleavingSuite({
  name: 'serverStore',
  start: ({ network, name, limit }) => {
    const server = createServer({ semaphores: { [name]: limit } });
    return {
      connect: (times) => {
        const transport = new SimulatedTransport(network, server.app);
        // The wall clock is not simulated.
        return new ServerStore(transport, times, systemClock);
      },
      count: async () => {
        const text = await (await server.app.request('/metrics')).text();
        const sum = (metric: string) =>
          Number(new RegExp(`^${metric}{.*} (\\d+)$`, 'm').exec(text)?.[1]);
        return { inflight: sum('throttle_acquired'), queued: sum('throttle_pending') };
      },
      close: () => server.close(),
    };
  },
});
