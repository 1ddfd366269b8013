import { type Environment, type EnvironmentOptions, oneServer } from '@headgate/chaos';
import { startRedis } from '@headgate/test-servers';
import { settingsFor } from './connect.ts';
import { faultsOf } from './faults.ts';
import { connectVerifier } from './verifier.ts';

export async function single({ size, ...times }: EnvironmentOptions): Promise<Environment> {
  const server = await startRedis();
  return oneServer(size, {
    server,
    faults: faultsOf({ nodes: [server], recovered: async () => {} }),
    connectionSettings: (port, { slot }) => settingsFor(slot, { cluster: false, ports: [port] }),
    verify: async (port) => connectVerifier(port, false, times),
  });
}
