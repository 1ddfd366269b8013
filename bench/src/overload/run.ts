import { progress } from '../runner.ts';
import { median } from '../stats.ts';
import { closedLoop } from './load.ts';
import type { OverloadPlan } from './plan.ts';
import type { Setup } from './protocol.ts';
import type { Resource } from './resources.ts';
import { runServerCase, type ServerCase, saturating } from './server-case.ts';
import { ServerProcess } from './server-process.ts';

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
  const bare = await ServerProcess.start({ ...setup, server: 'bare', resource });
  const route = { port: bare.port, ownConnections: plan.ownConnections };
  const capacity = async () => (await closedLoop(route, saturating, plan.capacity)).rate;
  try {
    progress(`${resource}: capacity`);
    await capacity();
    const first = median([await capacity(), await capacity(), await capacity()]);
    const capacities = [first];
    for (const server of names) {
      progress(`${resource}: ${server}`);
      const measured = await runServerCase({ ...setup, resource, server }, first, plan).catch(
        (error: Error) => error,
      );
      const before = capacities.at(-1) ?? first;
      const after = await capacity();
      capacities.push(after);
      const between = (before + after) / 2;
      cases.set(server, measured instanceof Error ? measured : { ...measured, capacity: between });
    }
    return { resource, capacities, cases };
  } finally {
    bare.stop();
    progress('');
  }
}
