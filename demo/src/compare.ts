import { availableParallelism } from 'node:os';
import { stop } from './child.ts';
import type { Comparison } from './comparison.ts';
import { perSecond } from './format.ts';
import { type Plan, phasesOf, spikeFactor } from './plan.ts';
import { protect } from './protection.ts';
import { measureCapacity, type Server, startLoad, startServer, visitors } from './run.ts';

/** The number of hashes that libuv runs concurrently. */
export const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/** Runs both servers, one after the other. The protected one is still running afterwards. */
export async function compare(plan: Plan): Promise<{ comparison: Comparison; server: Server }> {
  const load = startLoad();
  // Measured without overload or protection, as a common reference for both runs.
  const [yardstick, bareServer] = await Promise.all([startServer(), startServer()]);
  // Twice as many clients as threads, so that no thread is idle.
  const capacity = () => measureCapacity(load, yardstick, 2 * threads, plan);

  const before = await capacity();
  const phases = phasesOf(plan, before);
  console.log(outlook(before, phases));
  const bare = await visitors(load, bareServer, 'unprotected', phases, before);
  await stop(bareServer.process);

  const between = await capacity();
  const protection = protect(before, threads, availableParallelism());
  const server = await startServer(protection);
  const guarded = await visitors(load, server, 'with Headgate', phases, before);

  const after = await capacity();
  await Promise.all([stop(yardstick.process), stop(load)]);
  const capacities = [before, between, after] as const;
  return { comparison: { phases, protection, capacities, bare, guarded }, server };
}

const outlook = (capacity: number, [calm, spike]: Comparison['phases']) => `
  An Express app that checks passwords with scrypt, and visitors who wait a second at most.
  On this machine it can answer ${perSecond(capacity)}. ${perSecond(calm.rate)} come, then ${spikeFactor} times what it can (${perSecond(spike.rate)}), then ${perSecond(calm.rate)} again.
`;
