import { progress } from '../runner.ts';
import { median } from '../stats.ts';
import { arrivals } from './arrivals.ts';
import { figuresOf } from './figures.ts';
import { closedLoop, openLoop } from './load.ts';
import { normal, type SpikePlan, spikeMultiple } from './plan.ts';
import type { Setup } from './protocol.ts';
import type { Resource } from './resources.ts';
import { saturating } from './server-case.ts';
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
  const bare = await ServerProcess.start({ ...setup, server: 'bare', resource });
  const route = { port: bare.port, ownConnections: plan.ownConnections };
  const capacity = async () => (await closedLoop(route, saturating, plan.capacity)).rate;
  try {
    progress(`${resource}: capacity`);
    await capacity();
    const first = median([await capacity(), await capacity(), await capacity()]);
    const capacities = [first];
    for (let round = 1; round <= plan.runs; round++) {
      for (const [server, all] of spikes) {
        progress(`${resource}: spike ${round}/${plan.runs}, ${server}`);
        const spike = await oneSpike({ ...setup, resource, server }, { plan, round, rate: first });
        const before = capacities.at(-1) ?? first;
        const after = await capacity();
        capacities.push(after);
        all.push({ ...spike, answered: spike.answered / ((before + after) / 2) });
      }
    }
    return { resource, capacities, spikes };
  } finally {
    bare.stop();
    progress('');
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
