import { get } from 'node:http';
import { holdPath } from '../hosts/host.ts';
import { load } from '../http/load.ts';
import { progress } from '../runner.ts';
import { type Estimate, estimate, median, pairedRatios } from '../stats.ts';
import type { OverloadPlan } from './plan.ts';
import type { Setup } from './protocol.ts';
import { bare, rejectingIn } from './rejecting.ts';
import { ServerProcess } from './server-process.ts';

/** The cost of one rejection: milliseconds of the main thread, and relative to a bare handler's 503. */
export interface RejectionCost {
  cpu: number;
  overBare: Estimate;
}

const connections = 64;
const warmUps = 4;

/** All servers run at once and reject all requests, one server at a time, round after round, in alternating order. */
export async function rejectionCosts(
  setup: Setup,
  { rejectionCostRounds: rounds, ownConnections }: OverloadPlan,
): Promise<Map<string, RejectionCost>> {
  const names = rejectingIn(setup.host);
  const costs = new Map<string, number[]>(names.map((name) => [name, []]));
  const running = new Map<string, ServerProcess>();
  try {
    for (const name of names) running.set(name, await startRejecting(name, setup));
    for (let round = 1 - warmUps; round <= rounds; round++) {
      for (const [name, server] of round % 2 === 0 ? running : [...running].reverse()) {
        progress(`cost of a rejection: round ${round}/${rounds}, ${name}`);
        const cost = await burst(server, ownConnections);
        if (round > 0) costs.get(name)?.push(cost);
      }
    }
  } finally {
    for (const server of running.values()) server.stop();
    progress('');
  }
  const baseline = costs.get(bare) ?? [];
  return new Map(
    [...costs].map(([name, all]) => [
      name,
      { cpu: median(all), overBare: estimate(pairedRatios(all, baseline)) },
    ]),
  );
}

async function startRejecting(name: string, setup: Setup): Promise<ServerProcess> {
  const server = await ServerProcess.start({ ...setup, server: name, resource: 'rejecting' });
  const options = { port: server.port, host: '127.0.0.1', path: holdPath };
  get(options, (response) => response.resume()).on('error', () => {});
  // Waits until the only permit is held, or the first timer has been late.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  return server;
}

async function burst(server: ServerProcess, ownConnections: boolean): Promise<number> {
  const before = await server.report();
  const { requests, refused } = await load(server.port, connections, ownConnections);
  const after = await server.report();
  if (refused < 0.99 * requests)
    throw new Error(`${requests - refused} of ${requests} got through`);
  return (after.cpu - before.cpu) / requests;
}
