import type { Store } from '@headgate/store-kit';
import { startProxy } from '@headgate/test-servers';
import type { Environment } from './environment.ts';
import type { Fault } from './faults/fault.ts';
import type { WorkerSlot } from './workers.ts';

/** The verifier's own connection to the server. */
export interface Verifier {
  readonly store: Store;
  close(): Promise<void>;
}

export interface OneServer {
  /** The port is read for each connection, since another server may take its place. */
  readonly server: {
    readonly port: number;
    /** The server's process, whose waits for a core are recorded; undefined if it is unknown. */
    readonly pid?: number | undefined;
    stop(): Promise<void>;
  };
  readonly faults: readonly Fault[];
  /** The connection settings with which this worker's program reaches the server at this port. */
  connectionSettings(port: number, worker: WorkerSlot): unknown;
  verify(port: number): Promise<Verifier>;
}

/** An environment with one server at a time, a proxy for each worker, and one for the verifier. */
export async function oneServer(
  size: number,
  { server, faults, connectionSettings, verify }: OneServer,
): Promise<Environment> {
  const [own, ...proxies] = await Promise.all([
    startProxy(server),
    ...Array.from({ length: size }, () => startProxy(server)),
  ]);
  const verifier = await verify(own.port);
  return {
    proxies,
    faults,
    store: verifier.store,
    pid: () => server.pid,
    connectionSettings: (worker) => connectionSettings(proxies[worker.slot]?.port ?? 0, worker),
    stop: async () => {
      await verifier.close();
      await Promise.all([own, ...proxies].map((proxy) => proxy.stop()));
      await server.stop();
    },
  };
}
