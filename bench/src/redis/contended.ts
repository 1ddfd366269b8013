import { handingOff, ours } from '../distributed/contender-names.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import { progress } from '../runner.ts';
import { number, type Table } from '../table.ts';
import { contendedGoals } from './contended-goals.ts';
import { bound, others } from './contender-names.ts';
import { type Crowd, type CrowdFigures, crowdCase } from './crowd-case.ts';
import {
  type CrowdResults,
  type CrowdRuns,
  commands,
  figure,
  rateOver,
  title,
} from './crowd-results.ts';
import { RedisScene } from './scene.ts';

const contenders = [ours, handingOff, ...others];
const crowds: readonly Crowd[] = [2, 4].flatMap((processes) =>
  [0, 5, 50].map((work) => ({ processes, work })),
);

/** Measures crowds of 50 callers per process on limit 10. */
export function contended(plan: DistributedPlan): Promise<Table> {
  return RedisScene.during(async (scene) => {
    const all: CrowdResults[] = [];
    for (const crowd of crowds) all.push(await measure(scene, crowd, plan));
    return report(all);
  });
}

async function measure(
  scene: RedisScene,
  crowd: Crowd,
  plan: DistributedPlan,
): Promise<CrowdResults> {
  const runs = new Map<string, CrowdRuns>(contenders.map((name) => [name, { rounds: [] }]));
  const failures: string[] = [];
  for (let round = 1; round <= plan.rounds; round++) {
    for (const [contender, run] of runs) {
      progress(`${crowd.processes} processes, ${crowd.work} ms, round ${round}: ${contender}`);
      try {
        const once = (counted: boolean) => crowdCase(scene, contender, crowd, { plan, counted });
        run.rounds.push(await once(false));
        if (round === 1) run.counted = await once(true);
      } catch (error) {
        failures.push(`${title(crowd)}, ${contender}: ${(error as Error).message}.`);
        runs.delete(contender);
        await scene.clear();
      }
    }
  }
  return { ...crowd, runs, failures };
}

function report(all: readonly CrowdResults[]): Table {
  return {
    title: '50 callers per process, on limit 10',
    columns: [
      'processes, work',
      '',
      'acquires/s',
      `× ${bound}`,
      'commands each',
      'requests each',
      'Redis µs each',
      'µs a script',
      'wait p50, ms',
      'p99, ms',
      'longest, ms',
      'most/least served',
    ],
    rows: all.flatMap((results) =>
      [...results.runs.keys()].map((name) => [title(results), ...row(results, name)]),
    ),
    goals: contendedGoals(all),
    notes: [
      'Medians of the rounds. Commands are lease operations, even if several share a request; for contenders that do not batch, ' +
        'they are the requests that a proxy counts in a separate run.',
      ...operationNotes(all),
      ...all.flatMap(({ failures }) => failures),
    ],
  };
}

function row(results: CrowdResults, name: string): string[] {
  const of = (what: keyof CrowdFigures) => number(figure(results, name, what));
  return [
    name,
    of('rate'),
    number(rateOver(results, name, bound)),
    number(commands(results, name)),
    number(results.runs.get(name)?.counted?.commands ?? Number.NaN),
    of('spent'),
    of('spentPerCall'),
    of('p50'),
    of('p99'),
    of('longest'),
    of('inequality'),
  ];
}

/** Lists the lease operations by kind. */
function operationNotes(all: readonly CrowdResults[]): string[] {
  return [ours, handingOff].flatMap((name) =>
    all.flatMap((results) => {
      const each = Object.entries(results.runs.get(name)?.counted?.operations ?? {});
      if (each.length === 0) return [];
      const parts = each.map(([what, count]) => `${number(count)} ${what}`);
      return [`${title(results)}, ${name}, for an acquire: ${parts.join(', ')}.`];
    }),
  );
}
