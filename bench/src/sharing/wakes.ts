import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from '../runner.ts';
import type { Plan } from './plan.ts';
import type { Scene } from './scene.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Milliseconds. */
export interface Wakes {
  /** From a release in one process until the waiter in the other continues. */
  wakes: number[];
  /** Round trips in between, each after a pause of the same length. */
  pings: number[];
}

/** How soon a process learns of a release in another one, by contender. */
export async function measureWakes(
  scene: Scene,
  contenders: readonly string[],
  plan: Plan,
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
 * Long enough for everything to settle, and of varying length, so that contenders that poll are not measured at their
 * best or worst.
 */
const rest = () => sleep(10 + 15 * Math.random());

async function wakesOf(
  holder: WorkerProcess,
  waiter: WorkerProcess,
  { wakes: count, warmUp }: Plan,
): Promise<Wakes> {
  const wakes: number[] = [];
  const pings: number[] = [];
  const load = { callers: 10, work: 0, warmUp, duration: 1 };
  await Promise.all([holder.ask('crowd', load), waiter.ask('crowd', load)]);
  for (let i = 0; i < count; i++) {
    await holder.ask('hold', 1);
    const passed = waiter.ask('pass');
    await rest();
    pings.push(...(await waiter.ask('ping', 1)));
    await rest();
    const released = await holder.ask('letGo');
    wakes.push((await passed) - released);
  }
  return { wakes, pings };
}
