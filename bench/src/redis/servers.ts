import { callers, growth, type Step, type StepFigures } from '../distributed/growth.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import { type Goal, number, type Table } from '../table.ts';
import { type Servers, ServersScene } from './servers-scene.ts';

const single: Servers = { count: 1, isCluster: false };
const separate: Servers = { count: 3, isCluster: false };
const cluster: Servers = { count: 3, isCluster: true };
const all: readonly Servers[] = [
  single,
  separate,
  { ...separate, count: 6 },
  cluster,
  { ...cluster, count: 6 },
];
/** As many as for one server, so that as many operations travel together. */
const callersPerServer = callers;
/** With room for all callers, and with so little that most wait for a message from another process. */
const loads = [
  { names: 1_000, limit: 10 },
  { names: 24, limit: 1 },
];

type Results = ReadonlyMap<Servers, readonly StepFigures[]>;

/** Measures how limits share servers: what each acquire costs all servers, and the busiest one. */
export async function servers(plan: DistributedPlan): Promise<Table> {
  const results = new Map<Servers, StepFigures[]>();
  for (const some of all) {
    const steps = loads.map((load): Step => {
      return { ...load, processes: 4, callers: some.count * callersPerServer };
    });
    results.set(some, await ServersScene.during(some, (scene) => growth(scene, steps, plan)));
  }
  return report(results);
}

function report(results: Results): Table {
  return {
    title: `4 processes, with ${callersPerServer} callers for each of several Redis`,
    columns: [
      'limits',
      'servers',
      'acquires/s',
      'all servers: µs each',
      'busiest server: µs each',
      'acquires/s until it is busy',
      '× one server',
    ],
    rows: loads.flatMap(({ names, limit }, load) =>
      all.map((some) => [
        `${names.toLocaleString('en')}, of ${limit}`,
        labelOf(some),
        ...figuresOf(results, some, load).map(number),
      ]),
    ),
    goals: loads.flatMap(({ names }, load) =>
      [separate, cluster].map((some) => goal(results, some, load, names)),
    ),
    notes: [
      'µs: processor time of the servers, with their connections. All servers and processes share one machine, so acquires per second do ' +
        'not grow here: the capacity is what the busiest server could serve with a core of its own.',
    ],
  };
}

function figuresOf(results: Results, some: Servers, load: number): number[] {
  const of = (what: keyof StepFigures) => results.get(some)?.[load]?.[what] ?? Number.NaN;
  const most = capacity(results, some, load);
  const costs = [of('rate'), of('spent'), of('spentByBusiest')];
  return [...costs, most, most / capacity(results, single, load)];
}

const capacity = (results: Results, some: Servers, load: number): number =>
  1e6 / (results.get(some)?.[load]?.spentByBusiest ?? Number.NaN);

function goal(results: Results, some: Servers, load: number, names: number): Goal {
  return {
    what: `${labelOf(some)}, ${names.toLocaleString('en')} limits: capacity over one server`,
    target: 2.5,
    atLeast: true,
    measured: capacity(results, some, load) / capacity(results, single, load),
    unit: '×',
  };
}

function labelOf({ count, isCluster }: Servers): string {
  if (count === 1) return 'one';
  return isCluster ? `cluster of ${count}` : `${count} separate`;
}
