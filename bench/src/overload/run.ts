import { progress } from '../runner.ts';
import { BareServer } from './bare-server.ts';
import type { OverloadPlan } from './plan.ts';
import type { Setup } from './protocol.ts';
import type { Resource } from './resources.ts';
import { runServerCase, type ServerCase } from './server-case.ts';

/** A case, and the mean capacity of the bare server just before and after it. */
export interface Measured extends ServerCase {
  /** Requests per second: the basis of its ratios, so that drift of the machine cancels out. */
  capacity: number;
}

/** The cases of all servers with one kind of handler. */
export interface ResourceRun {
  resource: Resource;
  /** All measurements of the capacity in requests per second. The loads are multiples of the first. */
  capacities: number[];
  cases: Map<string, Measured | Error>;
}

export async function runResource(
  resource: Resource,
  names: readonly string[],
  setup: Setup,
  plan: OverloadPlan,
): Promise<ResourceRun> {
  const cases: ResourceRun['cases'] = new Map();
  const bare = await BareServer.start(resource, setup, plan);
  try {
    for (const server of names) {
      progress(`${resource}: ${server}`);
      const measured = await runServerCase({ ...setup, resource, server }, bare.first, plan).catch(
        (error: Error) => error,
      );
      const capacity = await bare.capacity();
      cases.set(server, measured instanceof Error ? measured : { ...measured, capacity });
    }
    return { resource, capacities: bare.capacities, cases };
  } finally {
    bare.stop();
  }
}
