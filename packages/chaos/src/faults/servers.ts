import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Stage } from './fault.ts';

/** A fault of the servers: it never strikes while another one of them is under way. */
export function onServers(name: string, strike: (stage: Stage) => Promise<unknown>): Fault {
  return {
    name,
    alone: true,
    strike: async (stage) => {
      await strike(stage);
    },
  };
}

/** A process that SIGSTOP and SIGCONT reach. */
interface Freezable {
  freeze(): void;
  thaw(): void;
}

/** Stops the server, for between a tenth of a lease and one and a half. */
export async function freeze(server: Freezable, stage: Stage): Promise<void> {
  server.freeze();
  await sleep(partOfLease(stage));
  server.thaw();
}

/** Milliseconds for which a server does not answer: sometimes shorter and sometimes longer than a lease. */
export function partOfLease({ dice, lease }: Stage): number {
  return lease * dice.between(0.1, 1.5);
}
