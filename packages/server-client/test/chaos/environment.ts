import { type Environment, type EnvironmentOptions, oneServer } from '@headgate/chaos';
import { serverStore } from '../../src/index.ts';
import { Service } from '../service.ts';
import { faultsOf } from './faults.ts';

export async function single({ size, ...times }: EnvironmentOptions): Promise<Environment> {
  const service = await Service.start({});
  return oneServer(size, {
    server: service,
    faults: faultsOf(service),
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
