import { createServer } from '@headgate/server';
import { interleavingSuite } from '@headgate/test-suite';
import { ThrottleStore } from '../src/store/throttle-store.ts';
import { SimulatedTransport } from './simulated-transport.ts';

interleavingSuite({
  name: 'throttleStore',
  start: ({ network, name, limit }) => {
    const server = createServer({ semaphores: { [name]: limit } });
    return {
      connect: ({ leaseDuration: lease, timeout }) =>
        new ThrottleStore(new SimulatedTransport(network, server.app), lease, timeout),
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
