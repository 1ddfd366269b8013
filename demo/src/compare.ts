import { availableParallelism } from 'node:os';
import { stop } from './child.ts';
import type { Comparison } from './comparison.ts';
import { perSecond } from './format.ts';
import { type Plan, phasesOf, spikeFactor } from './plan.ts';
import { protect } from './protection.ts';
import { measureCapacity, type Server, sendLoad, startLoad, startServer } from './run.ts';

/** The number of hashes that libuv runs at once. */
export const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/** Runs both servers, one after the other. Leaves the protected one running. */
export async function compare(plan: Plan): Promise<{ comparison: Comparison; server: Server }> {
  const load = startLoad();
  // The reference is never overloaded and never protected; both runs are compared with its capacity.
  const [reference, bareServer] = await Promise.all([startServer(), startServer()]);
  // Twice as many clients as threads, so that no thread waits for the next request.
  const capacity = () => measureCapacity(load, reference, 2 * threads, plan);

  const before = await capacity();
  const phases = phasesOf(plan, before);
  console.log(outlook(before, phases));
  const bare = await sendLoad(load, bareServer, 'unprotected', phases, before);
  await stop(bareServer.process);

  const between = await capacity();
  const protection = protect(before, threads, availableParallelism());
  const server = await startServer(protection);
  const guarded = await sendLoad(load, server, 'with Headgate', phases, before);

  const after = await capacity();
  await Promise.all([stop(reference.process), stop(load)]);
  const capacities = [before, between, after] as const;
  return { comparison: { phases, protection, capacities, bare, guarded }, server };
}

const outlook = (capacity: number, [calm, spike]: Comparison['phases']) => `
  An Express app that checks passwords with scrypt, and clients that give up after a second.
  On this machine it can answer ${perSecond(capacity)}. It gets ${perSecond(calm.rate)}, then ${spikeFactor} times its capacity (${perSecond(spike.rate)}), then ${perSecond(calm.rate)} again.
`;
