import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from '../runner.ts';
import { median, percentile } from '../stats.ts';
import { type Goal, number, type Table } from '../table.ts';
import { bound, ours } from './contender-names.ts';
import type { Plan } from './plan.ts';
import { Scene } from './scene.ts';
import type { WorkerProcess } from './worker-process.ts';

const contenders = [ours, bound, 'redis-semaphore'];

/** Milliseconds. */
interface Wakes {
  /** From a release in one process until the other goes on. */
  wakes: number[];
  /** Round trips between them, after as long a rest. */
  pings: number[];
}

/** How soon a process hears that another one has released. */
export function wake(plan: Plan): Promise<Table> {
  return Scene.during(async (scene) => {
    const all = new Map<string, Wakes>();
    for (const contender of contenders) {
      progress(`wake: ${contender}`);
      const [holder, waiter] = await scene.workers(2, { contender, limit: 1 });
      if (holder && waiter) all.set(contender, await wakesOf(holder, waiter, plan));
      await scene.clear();
    }
    const [worker] = await scene.workers(1, { contender: bound });
    await worker?.ask('ping', 2_000);
    return report(all, median((await worker?.ask('ping', 5_000)) ?? []));
  });
}

/** Long enough for all to come to rest, and never the same: who polls must not be met at its best or worst. */
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

function report(all: ReadonlyMap<string, Wakes>, quickPing: number): Table {
  const row = (name: string, { wakes, pings }: Wakes) => [
    name,
    ...[median(wakes), percentile(wakes, 0.99), median(pings)].map(number),
    number(median(wakes) / median(pings)),
  ];
  return {
    title: 'From a release until a waiter of another process goes on',
    columns: ['', 'median, ms', 'p99, ms', 'PING, ms', 'median in PINGs'],
    rows: [...all].map(([name, wakes]) => row(name, wakes)),
    goals: goals(all.get(ours)),
    notes: [
      `PING is the median of the waiter's, each after as long a rest as before a release; of one after the other it is ${number(1_000 * quickPing)} µs.`,
    ],
  };
}

function goals({ wakes, pings }: Wakes = { wakes: [], pings: [] }): Goal[] {
  return [
    {
      what: 'median wake, in PINGs',
      target: 3,
      measured: median(wakes) / median(pings),
      unit: '×',
    },
    { what: 'p99 wake', target: 50, measured: percentile(wakes, 0.99), unit: 'ms' },
  ];
}
