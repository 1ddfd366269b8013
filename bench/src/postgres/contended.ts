import { handingOff, ours } from '../distributed/contender-names.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import { type ServedFigures, servedFigures } from '../distributed/served-figures.ts';
import { progress } from '../runner.ts';
import { median, pairedRatios } from '../stats.ts';
import { type Goal, number, type Table } from '../table.ts';
import { PostgresScene } from './scene.ts';

const processes = 4;
const callers = 50;

interface Results {
  /** Acquire-and-release pairs per second of a single caller without contention, by round. */
  alone: number[];
  crowds: Map<string, ServedFigures[]>;
}

/** Measures crowds of 50 callers per process on limit 10, which do no work. */
export async function contended(plan: DistributedPlan): Promise<Table> {
  const results = await PostgresScene.during((scene) => measure(scene, plan));
  return {
    title: `${processes} processes of ${callers} callers, on limit 10`,
    columns: [
      '',
      'acquires/s',
      '× a single caller',
      'operations each',
      'wait p50, ms',
      'p99, ms',
      'longest, ms',
      'most/least served',
    ],
    rows: [...results.crowds].map(([name, rounds]) => row(name, rounds, results.alone)),
    goals: goals(results),
    notes: [
      `A single caller reaches ${number(median(results.alone))} acquires per second. Operations are lease operations; several share a statement.`,
    ],
  };
}

async function measure(scene: PostgresScene, plan: DistributedPlan): Promise<Results> {
  const alone: number[] = [];
  const crowds = new Map<string, ServedFigures[]>([ours, handingOff].map((name) => [name, []]));
  for (let round = 1; round <= plan.rounds; round++) {
    progress(`contended, round ${round}: alone`);
    const [worker] = await scene.workers(1, { contender: ours });
    await worker?.ask('sequence', { duration: plan.warmUp, oneByOne: true });
    const pairs = await worker?.ask('sequence', { duration: plan.alone, oneByOne: true });
    if (pairs !== undefined) alone.push(pairs.rate);
    await scene.clear();
    for (const [contender, rounds] of crowds) {
      progress(`contended, round ${round}: ${contender}`);
      rounds.push(await crowdOf(scene, contender, plan));
    }
  }
  return { alone, crowds };
}

async function crowdOf(
  scene: PostgresScene,
  contender: string,
  { warmUp, crowd: duration }: DistributedPlan,
): Promise<ServedFigures> {
  const workers = await scene.workers(processes, { contender });
  const load = { callers, work: 0, warmUp, duration };
  const served = await Promise.all(workers.map((worker) => worker.ask('crowd', load)));
  await scene.clear();
  return servedFigures(served, duration);
}

function row(name: string, rounds: readonly ServedFigures[], alone: readonly number[]): string[] {
  const of = (what: keyof ServedFigures) => median(rounds.map((round) => round[what] as number));
  const rates = rounds.map(({ rate }) => rate);
  return [
    name,
    number(of('rate')),
    number(median(pairedRatios(rates, alone))),
    number(operations(rounds)),
    number(of('p50')),
    number(of('p99')),
    number(of('longest')),
    number(of('inequality')),
  ];
}

function operations(rounds: readonly ServedFigures[]): number {
  const sums = rounds.map(({ operations }) =>
    Object.values(operations).reduce((sum, each) => sum + each, 0),
  );
  return median(sums);
}

function goals({ alone, crowds }: Results): Goal[] {
  const of = (name: string) => crowds.get(name) ?? [];
  const rates = (name: string) => of(name).map(({ rate }) => rate);
  const longest = (name: string) => of(name).map(({ longest }) => longest);
  return [
    {
      what: 'acquires/s relative to a single caller',
      target: 0.5,
      atLeast: true,
      measured: median(pairedRatios(rates(ours), alone)),
      unit: '×',
    },
    {
      what: `${handingOff}: operations for an acquire`,
      target: 0.3,
      measured: operations(of(handingOff)),
      unit: '',
    },
    {
      what: `${handingOff}: acquires/s relative to no handoff`,
      target: 8,
      atLeast: true,
      measured: median(pairedRatios(rates(handingOff), rates(ours))),
      unit: '×',
    },
    {
      what: `${handingOff}: longest wait relative to no handoff`,
      target: 2,
      measured: median(pairedRatios(longest(handingOff), longest(ours))),
      unit: '×',
    },
  ];
}
