import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from '../runner.ts';
import type { DistributedPlan } from './plan.ts';
import type { Scene } from './scene.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Times in milliseconds. */
export interface Wakes {
  /** From a release in one process to the grant in the other. */
  wakes: number[];
  /** Round trips in between, after equally long pauses. */
  pings: number[];
}

/** Measures how soon a waiter in another process is granted after a release, by contender. */
export async function measureWakes(
  scene: Scene,
  contenders: readonly string[],
  plan: DistributedPlan,
): Promise<Map<string, Wakes>> {
  const all = new Map<string, Wakes>();
  for (const contender of contenders) {
    progress(`wake: ${contender}`);
    const [holder, waiter] = await scene.workers(2, { contender, limit: 1 });
    if (holder && waiter) all.set(contender, await wakesOf(holder, waiter, plan));
    await scene.clear();
  }
  return all;
}

/**
 * A random pause, long enough for all activity to end. Random, so that pollers are met at no particular point of their
 * interval.
 */
const pause = () => sleep(10 + 15 * Math.random());

async function wakesOf(
  holder: WorkerProcess,
  waiter: WorkerProcess,
  { wakes: count, warmUp }: DistributedPlan,
): Promise<Wakes> {
  const wakes: number[] = [];
  const pings: number[] = [];
  const load = { callers: 10, work: 0, warmUp, duration: 1 };
  await Promise.all([holder.ask('crowd', load), waiter.ask('crowd', load)]);
  for (let i = 0; i < count; i++) {
    await holder.ask('hold', 1);
    const passed = waiter.ask('pass');
    await pause();
    pings.push(...(await waiter.ask('ping', 1)));
    await pause();
    const released = await holder.ask('letGo');
    wakes.push((await passed) - released);
  }
  return { wakes, pings };
}
