import { type Ground, type GroundOptions, oneServer } from '@headgate/chaos';
import { startRedis } from '@headgate/test-servers';
import { wayOf } from './connect.ts';
import { faultsOf } from './faults.ts';
import { connectVerifier } from './verifier.ts';

export async function single({ size, ...times }: GroundOptions): Promise<Ground> {
  const server = await startRedis();
  return oneServer(size, {
    server,
    faults: faultsOf({ nodes: [server], recovered: async () => {} }),
    way: (port, { slot }) => wayOf(slot, { cluster: false, ports: [port] }),
    verify: async (port) => connectVerifier(port, false, times),
  });
}
