import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultContext } from './fault.ts';

/** A fault of the servers; only one of them is active at a time. */
export function onServers(
  name: string,
  inject: (context: FaultContext) => Promise<unknown>,
): Fault {
  return {
    name,
    alone: true,
    inject: async (context) => {
      await inject(context);
    },
  };
}

/** A process that can be stopped with SIGSTOP. */
interface Freezable {
  freeze(): void;
  thaw(): void;
}

/** Stops the server for a tenth of a lease up to one and a half leases. */
export async function freeze(server: Freezable, context: FaultContext): Promise<void> {
  server.freeze();
  await sleep(partOfLease(context));
  server.thaw();
}

/** A duration in milliseconds, sometimes shorter and sometimes longer than a lease. */
export function partOfLease({ rng, lease }: FaultContext): number {
  return lease * rng.between(0.1, 1.5);
}
