import { stop } from './child.ts';
import type { Comparison } from './comparison.ts';
import { connections } from './database.ts';
import { perSecond } from './format.ts';
import { type Plan, phasesOf, spikeFactor } from './plan.ts';
import { measureCapacity, type Server, sendLoad, startLoad, startServer } from './run.ts';

/** Runs both servers, one after the other. Leaves the protected one running. */
export async function compare(plan: Plan): Promise<{ comparison: Comparison; server: Server }> {
  const load = startLoad();
  // The reference is never overloaded and never protected; both runs are compared with its capacity.
  const [reference, bareServer] = await Promise.all([startServer(false), startServer(false)]);
  // Twice as many clients as connections, so that no connection waits for the next request.
  const capacity = () => measureCapacity(load, reference, 2 * connections, plan);

  const before = await capacity();
  const phases = phasesOf(plan, before);
  console.log(outlook(before, phases));
  const bare = await sendLoad(load, bareServer, 'unprotected', phases, before);
  await stop(bareServer.process);

  const between = await capacity();
  const server = await startServer(true);
  const guarded = await sendLoad(load, server, 'with Headgate', phases, before);

  const after = await capacity();
  await Promise.all([stop(reference.process), stop(load)]);
  const capacities = [before, between, after] as const;
  return { comparison: { phases, capacities, bare, guarded }, server };
}

const outlook = (capacity: number, [calm, spike]: Comparison['phases']) => `
  An Express app that queries a database, and clients that give up after a second.
  It can answer ${perSecond(capacity)}. It gets ${perSecond(calm.rate)}, then ${spikeFactor} times its capacity (${perSecond(spike.rate)}), then ${perSecond(calm.rate)} again.
`;
