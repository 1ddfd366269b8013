import { type Goal, number, type Table } from '../table.ts';
import { callers, growth, type MeasuredScene, type Step, type StepFigures } from './growth.ts';
import type { DistributedPlan } from './plan.ts';

const processCounts = [1, 2, 4, 8, 16, 32, 64];
const nameCounts = [1, 10, 100, 1_000, 10_000];
const processesOfNames = 4;

const columns = ['acquires/s', 'wait p50, ms', 'p99, ms', 'server µs each', 'acquires/s a core'];

const row = ({ rate, p50, p99, spent }: StepFigures): string[] =>
  [rate, p50, p99, spent, 1e6 / spent].map(number);

/**
 * How the cost of one limit grows with the number of processes that share it.
 *
 * @param server Its name, for the title.
 */
export async function processes(
  scene: MeasuredScene,
  plan: DistributedPlan,
  server: string,
): Promise<Table> {
  const steps = processCounts.map((count): Step => ({ processes: count, names: 1, held: 0 }));
  const all = await growth(scene, steps, plan);
  return {
    title: `${callers} callers of one limit of 10, over 1 to 64 processes, in ${server}`,
    columns: ['processes', ...columns, 'idle: server ms a second'],
    rows: all.map((figures, i) => [`${processCounts[i]}`, ...row(figures), number(figures.idle)]),
    goals: [grown('64 processes over 8', all[6], all[3])],
    notes: [
      'Server µs is the processor time of the server and its connections. The last column is that time while all processes are connected and idle.',
    ],
  };
}

/**
 * How the cost of an acquire grows with the number of limits.
 *
 * @param maxHeld The number of permits that one process can hold.
 */
export async function names(
  scene: MeasuredScene,
  plan: DistributedPlan,
  server: string,
  maxHeld = Number.POSITIVE_INFINITY,
): Promise<Table> {
  const steps = nameCounts.map(
    (count): Step => ({
      processes: processesOfNames,
      names: count,
      held: Math.min(count, maxHeld),
    }),
  );
  const all = await growth(scene, steps, plan);
  return {
    title: `${callers} callers in ${processesOfNames} processes on 1 to 10,000 limits, in ${server}`,
    columns: ['names', ...columns, 'held', 'server ms a second'],
    rows: all.map((figures, i) => [
      `${nameCounts[i]?.toLocaleString('en')}`,
      ...row(figures),
      `${steps[i]?.held?.toLocaleString('en')}`,
      number(figures.idle),
    ]),
    goals: [grown('10,000 names over 100', all[4], all[2])],
    notes: [
      'The callers use the limits in turn. In the last column, one process holds one permit of each of this many limits, which it renews.',
    ],
  };
}

/** The cost must not depend on what grows once operations no longer travel together. */
function grown(what: string, last?: StepFigures, base?: StepFigures): Goal {
  const measured = (last?.spent ?? Number.NaN) / (base?.spent ?? Number.NaN);
  return { what: `${what}: server µs each`, target: 1.5, measured, unit: '×' };
}
