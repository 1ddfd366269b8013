import { type Environment, type EnvironmentOptions, oneServer } from '@headgate/chaos';
import { serverStore } from '../../src/index.ts';
import { Service } from '../service.ts';
import { faultsOf } from './faults.ts';

export async function single({ size, limits, ...times }: EnvironmentOptions): Promise<Environment> {
  const semaphores = Object.fromEntries(limits.map((limit) => [`chaos-${limit}`, limit]));
  const service = await Service.start(semaphores);
  return oneServer(size, {
    server: service,
    faults: faultsOf(service, semaphores),
    connectionSettings: urlOf,
    verify: async (port) => {
      const store = serverStore({
        url: urlOf(port),
        leaseDuration: times.lease,
        timeout: times.timeout,
      });
      return { store, close: () => store.close() };
    },
  });
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}
