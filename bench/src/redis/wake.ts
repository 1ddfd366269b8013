import { quantile } from 'headgate/load';
import { ours } from '../distributed/contender-names.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import { measureWakes, type Wakes } from '../distributed/wakes.ts';
import { median } from '../stats.ts';
import { type Goal, number, type Table } from '../table.ts';
import { bound } from './contender-names.ts';
import { RedisScene } from './scene.ts';

const contenders = [ours, bound, 'redis-semaphore'];

/** Measures how soon a waiter in another process is granted after a release. */
export function wake(plan: DistributedPlan): Promise<Table> {
  return RedisScene.during(async (scene) => {
    const all = await measureWakes(scene, contenders, plan);
    const [worker] = await scene.workers(1, { contender: bound });
    await worker?.ask('ping', 2_000);
    return report(all, median((await worker?.ask('ping', 5_000)) ?? []));
  });
}

function report(all: ReadonlyMap<string, Wakes>, quickPing: number): Table {
  const row = (name: string, { wakes, pings }: Wakes) => [
    name,
    number(median(wakes)),
    number(quantile(wakes, 0.99)),
    number(median(pings)),
    number(median(wakes) / median(pings)),
  ];
  return {
    title: 'Time from a release to the next grant in another process',
    columns: ['', 'median, ms', 'p99, ms', 'PING, ms', 'median in PINGs'],
    rows: [...all].map(([name, wakes]) => row(name, wakes)),
    goals: goals(all.get(ours)),
    notes: [
      `PING is the median round trip of the waiter if it pauses before each PING for as long as before a release. Without pauses, it is ${number(1_000 * quickPing)} µs.`,
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
    { what: 'p99 wake', target: 50, measured: quantile(wakes, 0.99), unit: 'ms' },
  ];
}
