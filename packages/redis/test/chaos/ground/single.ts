import { startProxy, startRedis } from '@headgate/test-servers';
import type { Ground } from './ground.ts';

/** One server, and a proxy before it for each worker. */
export async function single(size: number): Promise<Ground> {
  const server = await startRedis();
  const proxies = await Promise.all(Array.from({ length: size }, () => startProxy(server)));
  return {
    cluster: false,
    nodes: [server],
    proxies,
    faults: [],
    portsOf: (slot) => [proxies[slot]?.port ?? server.port],
    recovered: async () => {},
    stop: async () => {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await server.stop();
    },
  };
}
