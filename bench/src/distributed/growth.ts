import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from '../runner.ts';
import { milliseconds } from '../timing.ts';
import { ours } from './contender-names.ts';
import type { DistributedPlan } from './plan.ts';
import type { Scene } from './scene.ts';
import { servedFigures } from './served-figures.ts';
import type { WorkerProcess } from './worker-process.ts';

/** A scene that measures its servers. */
export interface MeasuredScene extends Scene {
  /** The processor time of each server so far, in milliseconds. */
  cpu(): number[];
}

/** What grows. */
export interface Step {
  processes: number;
  /** Number of limits, each with a name of its own, which the callers use in turn. */
  names: number;
  /** Default: 10. */
  limit?: number;
  /** Default: 64, whatever the number of processes, so that only what grows differs. */
  callers?: number;
  /** Number of permits, each of another name, that one process holds in the second part. Default: no such part. */
  held?: number;
}

/** The results of a step. */
export interface StepFigures {
  /** Acquires per second. */
  rate: number;
  /** Waits in milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of processor time per acquire: of all servers, and of the busiest. */
  spent: number;
  spentByBusiest: number;
  /** Milliseconds of all servers' processor time per second in the second part. */
  idle: number;
}

/** The default. */
export const callers = 64;

/** Measures each step. */
export async function growth(
  scene: MeasuredScene,
  steps: readonly Step[],
  plan: DistributedPlan,
): Promise<StepFigures[]> {
  const all: StepFigures[] = [];
  for (const step of steps) {
    progress(`${step.processes} processes, ${step.names} names`);
    all.push(await figuresOf(scene, step, plan));
  }
  return all;
}

async function figuresOf(
  scene: MeasuredScene,
  step: Step,
  plan: DistributedPlan,
): Promise<StepFigures> {
  const { processes, names, held, limit = 10 } = step;
  const workers = await scene.workers(processes, { contender: ours, names, limit });
  const busy = await crowd(scene, workers, step, plan);
  const idle = held === undefined ? Number.NaN : await holding(scene, workers, held, plan);
  await scene.clear();
  return { ...busy, idle };
}

/** Milliseconds of the servers' processor time per second while one process holds permits. */
async function holding(
  scene: MeasuredScene,
  [holder]: readonly WorkerProcess[],
  held: number,
  { idle }: DistributedPlan,
): Promise<number> {
  await holder?.ask('hold', held);
  const { spent, duration } = await spentDuring(scene, idle);
  return sum(spent) / (duration / 1_000);
}

async function crowd(
  scene: MeasuredScene,
  workers: readonly WorkerProcess[],
  { callers: all = callers }: Step,
  { warmUp, crowd: duration }: DistributedPlan,
): Promise<Omit<StepFigures, 'idle'>> {
  const load = { callers: all / workers.length, work: 0, warmUp, duration };
  const [{ spent }, served] = await Promise.all([
    sleep(warmUp).then(() => spentDuring(scene, duration)),
    Promise.all(workers.map((worker) => worker.ask('crowd', load))),
  ]);
  const { rate, p50, p99 } = servedFigures(served, duration);
  const acquires = (rate * duration) / 1_000;
  const micros = (time: number) => (1_000 * time) / acquires;
  return { rate, p50, p99, spent: micros(sum(spent)), spentByBusiest: micros(Math.max(...spent)) };
}

/** The processor time of each server, in milliseconds. */
async function spentDuring(
  scene: MeasuredScene,
  duration: number,
): Promise<{ spent: number[]; duration: number }> {
  const start = milliseconds();
  const before = scene.cpu();
  await sleep(duration);
  const spent = scene.cpu().map((time, index) => time - (before[index] ?? 0));
  return { spent, duration: milliseconds() - start };
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);
