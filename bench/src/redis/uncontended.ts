import { ours } from '../distributed/contender-names.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import type { WorkerProcess } from '../distributed/worker-process.ts';
import { progress } from '../runner.ts';
import { median, pairedRatios } from '../stats.ts';
import { type Goal, number, type Table } from '../table.ts';
import { others } from './contender-names.ts';
import type { Command } from './contenders/setting.ts';
import { RedisScene, type RedisWorkerOptions } from './scene.ts';
import type { RedisTasks } from './tasks.ts';

const contenders = [ours, 'raw', 'return 1', ...others] as const;

/** The results of one contender. */
interface Measured {
  /** Pairs of acquire and release per second, one call at a time, by round. */
  rates: number[];
  /** The same without waiting for the release. */
  flowing: number[];
  /** Microseconds of Redis's time in scripts per pair, by round. */
  spent: number[];
  /** Client requests per pair. */
  commands: number;
}

/** Measures a single caller without contention. */
export function uncontended(plan: DistributedPlan): Promise<Table> {
  return RedisScene.during(async (scene) => {
    const commands = await record(scene);
    const all = new Map<string, Measured>();
    const workers = new Map<string, WorkerProcess<RedisTasks>>();
    for (const contender of contenders) {
      const measured = { rates: [], flowing: [], spent: [], commands: Number.NaN };
      all.set(contender, measured);
      const [worker] = await scene.workers(1, { contender, commands });
      if (worker) workers.set(contender, worker);
      measured.commands = await countPairs(scene, { contender, commands }, plan);
    }
    for (let round = 0; round <= plan.rounds * 3; round++) {
      for (const [name, measured] of all) {
        progress(`uncontended, round ${round}: ${name}`);
        await sample(scene, workers.get(name), plan, round === 0 ? undefined : measured);
      }
    }
    return report(all);
  });
}

/** Records the commands of one pair of Headgate's. */
async function record(scene: RedisScene): Promise<Command[]> {
  const [worker] = await scene.workers(1, { contender: ours, name: 'recorded' });
  // The first pair loads the script.
  await worker?.ask('record');
  return (await worker?.ask('record')) ?? [];
}

async function countPairs(
  scene: RedisScene,
  options: RedisWorkerOptions,
  { alone }: DistributedPlan,
): Promise<number> {
  const name = `${options.contender}, counted`;
  const [worker] = await scene.workers(1, { ...options, name, counted: true });
  await worker?.ask('sequence', { duration: alone / 4, oneByOne: true });
  const before = scene.commands;
  const pairs = await worker?.ask('sequence', { duration: alone / 2, oneByOne: true });
  return (scene.commands - before) / (pairs?.count ?? Number.NaN);
}

/** @param into Receives the results; undefined during the warm-up. */
async function sample(
  scene: RedisScene,
  worker: WorkerProcess<RedisTasks> | undefined,
  { alone: duration }: DistributedPlan,
  into: Measured | undefined,
): Promise<void> {
  await scene.scriptCost();
  const pairs = await worker?.ask('sequence', { duration, oneByOne: true });
  const { spent } = await scene.scriptCost();
  const flowing = await worker?.ask('sequence', { duration, oneByOne: false });
  if (!pairs || !flowing) return;
  into?.rates.push(pairs.rate);
  into?.flowing.push(flowing.rate);
  into?.spent.push(spent / pairs.count);
}

function report(all: ReadonlyMap<string, Measured>): Table {
  const rates = (name: string) => all.get(name)?.rates ?? [];
  const over = (name: string, base: string) => median(pairedRatios(rates(name), rates(base)));
  return {
    title: 'One caller of one process',
    columns: ['', 'pairs/s', '× raw', '× return 1', 'commands', 'Redis µs', 'pairs/s, not waiting'],
    rows: [...all].map(([name, measured]) => [
      name,
      number(median(measured.rates)),
      number(over(name, 'raw')),
      number(over(name, 'return 1')),
      number(measured.commands),
      number(median(measured.spent)),
      number(median(measured.flowing)),
    ]),
    goals: goals(over, all.get(ours)?.commands ?? Number.NaN),
    notes: [
      'A pair is an acquire and a release, each awaited before the next; in the last column the next acquire does ' +
        'not wait for the release. Raw sends the same two commands with the same arguments. µs is the time that Redis spends in the scripts of a pair.',
    ],
  };
}

function goals(over: (name: string, base: string) => number, commands: number): Goal[] {
  return [
    { what: 'commands for acquire + release', target: 2, measured: commands, unit: '' },
    {
      what: 'pairs/s over raw EVALSHA',
      target: 0.8,
      atLeast: true,
      measured: over(ours, 'raw'),
      unit: '×',
    },
    {
      what: 'pairs/s over return 1',
      target: 0.35,
      atLeast: true,
      measured: over(ours, 'return 1'),
      unit: '×',
    },
  ];
}
