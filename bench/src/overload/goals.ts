import type { Goal } from '../table.ts';
import { goalsWithoutOverload } from './goals-without-overload.ts';
import { meanTime } from './resources.ts';
import type { Measured, ResourceRun } from './run.ts';
import { measuredOf, throughputRatio } from './throughput-ratio.ts';

/** The contender with goals, and the word of the goals of the same limit in front of the app. */
const ours = 'headgate';
const placeInFront = 'in front';

/** The multiples of the capacity that have goals. */
const overloads = [2, 5, 10, 20];

/** @param rejectionCost Milliseconds of the main thread for a bare 503. */
export function goals(run: ResourceRun, rejectionCost: number): Goal[] {
  const ofFront = goalsOf(`${ours} ${placeInFront}`, run, rejectionCost);
  return [
    ...goalsOf(ours, run, rejectionCost),
    ...ofFront.map((goal) => ({ ...goal, what: `${placeInFront}: ${goal.what}` })),
  ];
}

function goalsOf(name: string, run: ResourceRun, rejectionCost: number): Goal[] {
  const headgate = run.cases.get(name);
  if (headgate === undefined || headgate instanceof Error) return [];
  const { recovery, critical, loads } = headgate;
  return [
    ...goalsWithoutOverload(run, headgate, drift(run)),
    ...overloads
      .filter((multiple) => loads.has(multiple))
      .flatMap((multiple) => atMultiple(run, headgate, multiple, rejectionCost)),
    { what: 'normal again after the spike', target: 1_000, measured: recovery, unit: 'ms' },
    {
      what: 'critical requests not answered in time',
      target: 0.5,
      measured: 100 * (1 - critical),
      unit: '%',
    },
  ];
}

function atMultiple(
  run: ResourceRun,
  headgate: Measured,
  multiple: number,
  rejectionCost: number,
): Goal[] {
  const { unloaded, loads } = headgate;
  const { answered, ofBound } = throughputRatio(run, headgate, multiple, rejectionCost);
  const competitors = measuredOf(run).filter(([name]) => !name.startsWith(ours));
  const best = Math.max(
    ...competitors.map(
      ([, competitor]) => throughputRatio(run, competitor, multiple, rejectionCost).answered,
    ),
  );
  const ahead = competitors.length > 0 ? best / answered : Number.NaN;
  const short = (part: number) => 100 * (1 - part);
  const [slow, quick] = drift(run);
  return [
    {
      what: `short of the bound at ${multiple} ×`,
      target: 3,
      measured: short(ofBound),
      unit: '%',
      interval: { low: short(ofBound * quick), high: short(ofBound * slow) },
    },
    {
      what: `p99 of those answered at ${multiple} ×`,
      target: Math.max(300, 12 * meanTime[run.resource]) + unloaded.p99,
      measured: loads.get(multiple)?.p99 ?? Number.NaN,
      unit: 'ms',
    },
    {
      what: `best other / ${ours} at ${multiple} ×`,
      target: 1,
      measured: ahead,
      unit: '×',
      interval: { low: ahead * slow, high: ahead * quick },
    },
  ];
}

/** The machine's slowest and fastest capacity relative to its mean. */
function drift({ capacities }: ResourceRun): [slow: number, quick: number] {
  const mean = capacities.reduce((sum, capacity) => sum + capacity, 0) / capacities.length;
  return [Math.min(...capacities) / mean, Math.max(...capacities) / mean];
}
