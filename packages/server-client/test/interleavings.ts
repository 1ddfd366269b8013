import { createServer } from '@headgate/server';
import { interleavingSuite } from '@headgate/test-suite';
import { ServerStore } from '../src/store/server-store.ts';
import { SimulatedTransport } from './simulated-transport.ts';

/** @param runs Number of runs of each test. */
export function interleavings(runs: number): void {
  interleavingSuite({
    name: 'serverStore',
    start: ({ network, name }) => {
      const server = createServer({ semaphores: {} });
      const { app } = server;
      return {
        connect: (times) => new ServerStore(new SimulatedTransport(network, app), times),
        count: async () => {
          const headers = { 'Content-Type': 'application/json' };
          const init = { method: 'POST', headers, body: JSON.stringify({ name }) };
          return (await app.request('/limits/stats', init)).json();
        },
        close: () => server.close(),
      };
    },
    runs,
  });
}
