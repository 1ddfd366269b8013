import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../stats.ts';
import type { Contestant } from './contestants.ts';
import type { Served } from './loops.ts';
import type { Plan } from './plan.ts';
import type { Scene } from './scene.ts';

/** Who comes. */
export interface Crowd {
  processes: number;
  /** Milliseconds. */
  work: number;
}

/** What a crowd got. */
export interface CrowdFigures {
  /** Acquires in a second. */
  rate: number;
  /** Client requests for an acquire: those seen on the wire, or those of scripts that Redis counted. */
  commands: number;
  /** Lease operations for an acquire, where the contender tells, by what they are. */
  operations: Record<string, number>;
  /** Microseconds that Redis spends in scripts for an acquire, and in one of them. */
  spent: number;
  spentPerCall: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  longest: number;
  /** Of the processes: who was served most over who was served least. */
  inequality: number;
}

const callers = 50;

/** A second for a turn of the line: what is counted must be many turns. */
const slow = 50;

/** One contestant from its start to its end. `counted`: through the proxy. */
export async function crowdCase(
  scene: Scene,
  contestant: Contestant,
  { processes, work }: Crowd,
  { plan, counted }: { plan: Plan; counted: boolean },
): Promise<CrowdFigures> {
  const workers = await scene.workers(processes, { ...contestant, counted });
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

/** What was sent while it counts. */
interface Sent {
  commands: number;
  calls: number;
  /** Microseconds. */
  spent: number;
}

async function watch(
  scene: Scene,
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
  const counts = served.map(({ waits }) => waits.length);
  const waits = served.flatMap(({ waits }) => [...waits]);
  return {
    rate: (waits.length * 1_000) / duration,
    commands: commands / waits.length,
    operations: operationsEach(served, waits.length),
    spent: spent / waits.length,
    spentPerCall: spent / calls,
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    longest: percentile(waits, 1),
    inequality: Math.max(...counts) / Math.min(...counts),
  };
}

function operationsEach(served: readonly Served[], acquires: number): Record<string, number> {
  const each: Record<string, number> = {};
  for (const { operations } of served) {
    for (const [what, count] of Object.entries(operations)) {
      each[what] = (each[what] ?? 0) + count / acquires;
    }
  }
  return each;
}
