import { setTimeout as sleep } from 'node:timers/promises';
import type { Served } from '../distributed/loops.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import { type ServedFigures, servedFigures } from '../distributed/served-figures.ts';
import type { RedisScene } from './scene.ts';

/** A crowd of callers. */
export interface Crowd {
  processes: number;
  /** The time of work in milliseconds. */
  work: number;
}

/** The results of a crowd and their cost. */
export interface CrowdFigures extends ServedFigures {
  /** Client requests per acquire: counted on the wire, or as scripts by Redis. */
  commands: number;
  /** Microseconds of Redis's time in scripts per acquire, and per script. */
  spent: number;
  spentPerCall: number;
}

const callers = 50;

/**
 * Milliseconds of work from which the whole queue takes a second to serve, and must be served many times during the
 * measurement.
 */
const slowWork = 50;

/** Measures one contender. `counted`: through the proxy. */
export async function crowdCase(
  scene: RedisScene,
  contender: string,
  { processes, work }: Crowd,
  { plan, counted }: { plan: DistributedPlan; counted: boolean },
): Promise<CrowdFigures> {
  const workers = await scene.workers(processes, { contender, counted });
  const { warmUp } = plan;
  const full = work >= slowWork ? plan.slowCrowd : plan.crowd;
  const duration = counted ? plan.counted : full;
  const load = { callers, work, warmUp, duration };
  const [sent, served] = await Promise.all([
    watch(scene, { warmUp, duration, counted }),
    Promise.all(workers.map((worker) => worker.ask('crowd', load))),
  ]);
  await scene.clear();
  return figuresOf(sent, served, duration);
}

/** The requests sent during the measurement. */
interface Sent {
  commands: number;
  calls: number;
  /** Redis's time in microseconds. */
  spent: number;
}

async function watch(
  scene: RedisScene,
  { warmUp, duration, counted }: { warmUp: number; duration: number; counted: boolean },
): Promise<Sent> {
  await sleep(warmUp);
  await scene.scriptCost();
  const before = scene.commands;
  await sleep(duration);
  const commands = scene.commands - before;
  const cost = await scene.scriptCost();
  return { ...cost, commands: counted ? commands : cost.calls };
}

export function figuresOf(
  { commands, calls, spent }: Sent,
  served: readonly Served[],
  duration: number,
): CrowdFigures {
  const figures = servedFigures(served, duration);
  const acquires = (figures.rate * duration) / 1_000;
  return {
    ...figures,
    commands: commands / acquires,
    spent: spent / acquires,
    spentPerCall: spent / calls,
  };
}
