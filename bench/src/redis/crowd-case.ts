import { setTimeout as sleep } from 'node:timers/promises';
import type { Served } from '../sharing/loops.ts';
import type { Plan } from '../sharing/plan.ts';
import { type ServedFigures, servedFigures } from '../sharing/served-figures.ts';
import type { RedisScene } from './scene.ts';

/** The load. */
export interface Crowd {
  processes: number;
  /** Milliseconds. */
  work: number;
}

/** The results and costs of a crowd. */
export interface CrowdFigures extends ServedFigures {
  /** Client requests per acquire: those seen on the wire, or the scripts that Redis counted. */
  commands: number;
  /** Microseconds that Redis spends in scripts per acquire, and per script. */
  spent: number;
  spentPerCall: number;
}

const callers = 50;

/** A second per pass through the whole queue, so that many passes are counted. */
const slow = 50;

/** Runs one contender. `counted`: through the proxy. */
export async function crowdCase(
  scene: RedisScene,
  contender: string,
  { processes, work }: Crowd,
  { plan, counted }: { plan: Plan; counted: boolean },
): Promise<CrowdFigures> {
  const workers = await scene.workers(processes, { contender, counted });
  const { warmUp } = plan;
  const full = work >= slow ? plan.slowCrowd : plan.crowd;
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
  /** Microseconds. */
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
  const got = servedFigures(served, duration);
  const acquires = (got.rate * duration) / 1_000;
  return {
    ...got,
    commands: commands / acquires,
    spent: spent / acquires,
    spentPerCall: spent / calls,
  };
}
