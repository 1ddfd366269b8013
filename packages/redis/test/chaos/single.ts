import type { Ground, GroundOptions } from '@headgate/chaos';
import { startProxy, startRedis } from '@headgate/test-servers';
import { wayOf } from './connect.ts';
import { faultsOf } from './faults.ts';
import { connectVerifier } from './verifier.ts';

/** One server, and a proxy before it for each worker. */
export async function single({ size, ...times }: GroundOptions): Promise<Ground> {
  const server = await startRedis();
  const proxies = await Promise.all(Array.from({ length: size }, () => startProxy(server)));
  const { store, close } = connectVerifier(server.port, false, times);
  return {
    ...{ proxies, store },
    faults: faultsOf({ nodes: [server], recovered: async () => {} }),
    way: ({ slot }) => wayOf(slot, { cluster: false, ports: [proxies[slot]?.port ?? 0] }),
    stop: async () => {
      await close();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await server.stop();
    },
  };
}
