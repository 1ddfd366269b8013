import { progress } from '../runner.ts';
import { arrivals } from './arrivals.ts';
import { BareServer } from './bare-server.ts';
import { figuresOf } from './figures.ts';
import { openLoop } from './load.ts';
import { normal, type SpikePlan, spikeMultiple } from './plan.ts';
import type { Setup } from './protocol.ts';
import type { Resource } from './resources.ts';
import { ServerProcess } from './server-process.ts';

/** The first seconds of one spike. */
export interface Spike {
  /** Of the capacity just before and after it, the part that was answered in time. */
  answered: number;
  /** Milliseconds of those. */
  p99: number;
}

/** The spikes of all servers with one kind of handler. */
export interface SpikeRun {
  resource: Resource;
  /** All measurements of the capacity in requests per second. The loads are multiples of the first. */
  capacities: number[];
  spikes: Map<string, Spike[]>;
}

/**
 * Measures the first seconds of a spike, several times per server. Each time, the server is a fresh process, which has
 * had half of its capacity for a while. The servers take turns, and the requests of a round are the same for all.
 */
export async function runSpikes(
  resource: Resource,
  names: readonly string[],
  setup: Setup,
  plan: SpikePlan,
): Promise<SpikeRun> {
  const spikes = new Map<string, Spike[]>(names.map((name) => [name, []]));
  const bare = await BareServer.start(resource, setup, plan);
  try {
    for (let round = 1; round <= plan.runs; round++) {
      for (const [server, all] of spikes) {
        progress(`${resource}: spike ${round}/${plan.runs}, ${server}`);
        const rate = bare.first;
        const { answered, p99 } = await oneSpike(
          { ...setup, resource, server },
          { plan, round, rate },
        );
        all.push({ answered: answered / (await bare.capacity()), p99 });
      }
    }
    return { resource, capacities: bare.capacities, spikes };
  } finally {
    bare.stop();
  }
}

/** Resolves to the answers per second. */
async function oneSpike(
  assignment: Parameters<typeof ServerProcess.start>[0],
  { plan, round, rate }: { plan: SpikePlan; round: number; rate: number },
): Promise<Spike> {
  const server = await ServerProcess.start(assignment);
  try {
    const phases = [
      { name: 'warm-up', duration: plan.warmUp, rate: normal * rate },
      { name: 'spike', duration: plan.spike, rate: spikeMultiple * rate },
    ];
    const route = { port: server.port, ownConnections: plan.ownConnections };
    const attempts = await openLoop(route, arrivals(phases, round));
    return figuresOf(
      attempts.filter(({ phase }) => phase === 'spike'),
      plan.spike,
    );
  } finally {
    server.stop();
  }
}
