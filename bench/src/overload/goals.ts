import type { Goal } from '../table.ts';
import { meanTime, needsMainThread } from './resources.ts';
import type { Measured, ResourceRun } from './run.ts';
import { measuredOf, throughputRatio } from './throughput-ratio.ts';

/** The contender with goals. */
const ours = 'headgate';

/** The multiples of the capacity that have goals. */
const overloads = [2, 5, 10];

/** @param rejectionCost Milliseconds of the main thread for a bare 503. */
export function goals(run: ResourceRun, rejectionCost: number): Goal[] {
  const headgate = run.cases.get(ours);
  if (headgate === undefined || headgate instanceof Error) return [];
  const { recovery, critical, loads } = headgate;
  return [
    ...atCapacity(run, headgate),
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

/** At the capacity, compared with a FIFO queue of the right limit, in which requests wait for as long as clients do. */
function atCapacity(run: ResourceRun, headgate: Measured): Goal[] {
  const own = headgate.loads.get(1);
  const fifo = measuredOf(run).find(([name]) => name === 'express-queue, right limit')?.[1];
  const other = fifo?.loads.get(1);
  if (!needsMainThread(run.resource) || own === undefined || !fifo || !other) return [];
  const answered = own.answered / headgate.capacity / (other.answered / fifo.capacity);
  const [slow, quick] = drift(run);
  return [
    {
      what: 'answered at 1 × / express-queue, right limit',
      target: 0.97,
      atLeast: true,
      measured: answered,
      unit: '×',
      interval: { low: answered * slow, high: answered * quick },
    },
    {
      what: 'p99 at 1 × / express-queue, right limit',
      target: 0.6,
      measured: own.p99 / other.p99,
      unit: '×',
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
