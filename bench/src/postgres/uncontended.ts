import { ours } from '../distributed/contender-names.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import type { WorkerProcess } from '../distributed/worker-process.ts';
import { progress } from '../runner.ts';
import { estimate, median, pairedRatios } from '../stats.ts';
import { type Goal, number, type Table } from '../table.ts';
import { bareName } from './contenders.ts';
import { PostgresScene } from './scene.ts';

/** The target fraction of the throughput of two statements without a limit, by number of callers. */
const goals: Record<number, number> = { 1: 0.6, 10: 0.5 };
const crowds = [1, 10];

interface Result {
  callers: number;
  /** Pairs of acquire and release per second in total, by contender and round. */
  rates: Map<string, number[]>;
}

/** Measures uncontended callers: one per process, one call at a time, so that nothing is batched. */
export async function uncontended(plan: DistributedPlan): Promise<Table> {
  const all: Result[] = [];
  for (const callers of crowds)
    all.push(await PostgresScene.during((s) => measure(s, callers, plan)));
  return {
    title: 'Uncontended callers, each in a process of its own',
    columns: ['callers', '', 'pairs/s', `× ${bareName}`],
    rows: all.flatMap(({ callers, rates }) =>
      [...rates].map(([name, own]) => [
        `${callers}`,
        name,
        number(median(own)),
        number(median(pairedRatios(own, rates.get(bareName) ?? []))),
      ]),
    ),
    goals: all.map(goal),
    notes: [
      'A pair is an acquire and a release on limit 20. Each is awaited before the next one. The comparison is with two ' +
        'prepared UPDATEs of one row. No commit waits for the disk.',
    ],
  };
}

async function measure(
  scene: PostgresScene,
  callers: number,
  plan: DistributedPlan,
): Promise<Result> {
  const rates = new Map<string, number[]>([ours, bareName].map((name) => [name, []]));
  const workers = new Map<string, WorkerProcess[]>();
  for (const contender of rates.keys()) {
    workers.set(contender, await scene.workers(callers, { contender, limit: 20 }));
  }
  await warmUp([...workers.values()].flat(), plan);
  for (let round = 0; round <= plan.rounds * 3; round++) {
    for (const [name, own] of rates) {
      progress(`uncontended, ${callers}, round ${round}: ${name}`);
      // The first round also warms up the server.
      const duration = round === 0 ? plan.warmUp : plan.alone;
      const alone = { duration, oneByOne: true };
      const asked = workers.get(name)?.map((worker) => worker.ask('sequence', alone)) ?? [];
      const rate = (await Promise.all(asked)).reduce((sum, { rate }) => sum + rate, 0);
      if (round > 0) own.push(rate);
    }
  }
  return { callers, rates };
}

/**
 * Warms up the workers one after the other. All at once, each would run too rarely for its code to be compiled, and the
 * compilation would be measured.
 */
async function warmUp(
  workers: readonly WorkerProcess[],
  { alone }: DistributedPlan,
): Promise<void> {
  for (const [index, worker] of workers.entries()) {
    progress(`uncontended, warming up ${index + 1} of ${workers.length}`);
    await worker.ask('sequence', { duration: alone, oneByOne: true });
  }
}

function goal({ callers, rates }: Result): Goal {
  const ratios = pairedRatios(rates.get(ours) ?? [], rates.get(bareName) ?? []);
  return {
    what: `pairs/s over ${bareName}, ${callers} at once`,
    target: goals[callers] ?? Number.NaN,
    atLeast: true,
    measured: median(ratios),
    interval: estimate(ratios),
    unit: '×',
  };
}
