import {
  callers,
  growth,
  type MeasuredScene,
  type Step,
  type StepFigures,
} from '../distributed/growth.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import { number, type Table } from '../table.ts';
import { ClusterScene } from './cluster-scene.ts';
import { RedisScene } from './scene.ts';

/** One: without a cluster. */
const nodeCounts = [1, 3, 6];
/** Callers per node: as many as for one server, so that as many operations travel together. */
const callersPerNode = callers;
/** With room for all callers, and with so little that most wait for a message from another process. */
const loads = [
  { names: 1_000, limit: 10 },
  { names: 24, limit: 1 },
];

/** Measures how names share the nodes of a cluster: what each acquire costs all nodes, and the busiest one. */
export async function cluster(plan: DistributedPlan): Promise<Table> {
  const all: StepFigures[][] = [];
  for (const nodes of nodeCounts) {
    const steps = loads.map((load): Step => {
      return { ...load, processes: 4, callers: nodes * callersPerNode };
    });
    const measure = (scene: MeasuredScene) => growth(scene, steps, plan);
    all.push(
      await (nodes === 1 ? RedisScene.during(measure) : ClusterScene.during(nodes, measure)),
    );
  }
  return report(all);
}

/** @param all By number of nodes, then by load. */
function report(all: readonly StepFigures[][]): Table {
  const capacity = (nodes: number, step: number) =>
    1e6 / (all[nodes]?.[step]?.spentByBusiest ?? Number.NaN);
  return {
    title: `4 processes with ${callersPerNode} callers for each node of a Redis Cluster`,
    columns: [
      'names',
      'nodes',
      'acquires/s',
      'all nodes, µs each',
      'busiest node, µs each',
      'acquires/s until it is busy',
      '× one node',
    ],
    rows: loads.flatMap(({ names, limit }, step) =>
      nodeCounts.map((count, nodes) => {
        const of = (what: keyof StepFigures) => all[nodes]?.[step]?.[what] ?? Number.NaN;
        const most = capacity(nodes, step);
        const costs = [of('rate'), of('spent'), of('spentByBusiest')];
        const cells = [...costs, most, most / capacity(0, step)];
        return [`${names.toLocaleString('en')}, limit ${limit}`, `${count}`, ...cells.map(number)];
      }),
    ),
    goals: [
      {
        what: '1,000 names, 3 nodes: capacity over one node',
        target: 2.5,
        atLeast: true,
        measured: capacity(1, 0) / capacity(0, 0),
        unit: '×',
      },
    ],
    notes: [
      'µs: processor time of the nodes, with their connections. All nodes and processes share one machine, so acquires per second do not ' +
        'grow here: the capacity is what the busiest node could serve with a core of its own.',
    ],
  };
}
