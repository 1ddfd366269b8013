import { ours } from '../distributed/contender-names.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import type { WorkerProcess } from '../distributed/worker-process.ts';
import { progress } from '../runner.ts';
import { type Goal, number, type Table } from '../table.ts';
import { PostgresScene } from './scene.ts';

const limit = 10;
/** A number of callers of which most wait. */
const manyCallers = 50;
/** Maximum number of cycles with an open transaction, because each takes longer than the one before. */
const maxHeldBack = 20_000;
/** Number of cycles over which a rate is measured. */
const sample = 1_000;

interface Look {
  what: string;
  cycles: number;
  /** Pairs per second in the last of them. */
  rate: number;
  bytes: number;
}

/** Measures the dead rows of acquires and releases, with default autovacuum, and while a transaction holds it back. */
export async function bloat(plan: DistributedPlan): Promise<Table> {
  const alone = await PostgresScene.during((scene) => measure(scene, plan, 1));
  // Autovacuum runs once a minute, so there must be a run between two measurements.
  const long = { ...plan, cycles: 8 * plan.cycles };
  const crowd = await PostgresScene.during((scene) => measure(scene, long, manyCallers));
  const rows = [
    ...alone.map((look) => ['one', look] as const),
    ...crowd.map((look) => [`${manyCallers}`, look] as const),
  ];
  return {
    title: 'What acquires and releases leave behind',
    columns: ['callers', '', 'cycles', 'pairs/s', 'kB of tables and indexes'],
    rows: rows.map(([callers, { what, cycles, rate, bytes }]) => [
      callers,
      what,
      number(cycles),
      number(rate),
      number(bytes / 1_024),
    ]),
    goals: [...goals('one', alone), ...goals(`${manyCallers}`, crowd)],
    notes: [
      `Callers of one process, on limit ${limit}, so most of the ${manyCallers} wait. ${held('one', alone)} ${held(`${manyCallers}`, crowd)}`,
    ],
  };
}

function goals(callers: string, looks: readonly Look[]): Goal[] {
  const half = find(looks, 'half');
  const last = find(looks, 'last');
  const over = `at the end relative to half-way, ${callers}`;
  return [
    { what: `bytes ${over}`, target: 1.5, measured: last.bytes / half.bytes, unit: '×' },
    {
      what: `pairs/s ${over}`,
      target: 0.8,
      atLeast: true,
      measured: last.rate / half.rate,
      unit: '×',
    },
  ];
}

function held(callers: string, looks: readonly Look[]): string {
  const before = find(looks, 'last').rate;
  const during = find(looks, 'held back');
  const after = find(looks, 'after that');
  return (
    `While another transaction held a snapshot for ${during.cycles} cycles (${callers}), the rate fell to ` +
    `${number(during.rate / before)} × in the last of them; after it had ended, the rate was ${number(after.rate / before)} ×.`
  );
}

function find(looks: readonly Look[], what: string): Look {
  return looks.find((look) => look.what === what) as Look;
}

async function measure(
  scene: PostgresScene,
  { cycles }: DistributedPlan,
  callers: number,
): Promise<Look[]> {
  const [worker] = (await scene.workers(1, { contender: ours, limit })) as [WorkerProcess];
  const looks: Look[] = [];
  const look = async (what: string, count: number) => {
    progress(`bloat: ${callers}, ${what}`);
    await worker.ask('cycles', { count: Math.max(0, count - sample), callers });
    const rate = await worker.ask('cycles', { count: Math.min(count, sample), callers });
    looks.push({ what, cycles: count, rate, bytes: await scene.bytes() });
  };
  await look('first', cycles / 10);
  await look('half', cycles * 0.4);
  await look('last', cycles / 2);
  const release = await scene.holdBack();
  await look('held back', Math.min(cycles / 10, maxHeldBack));
  await release();
  await look('after that', sample);
  return looks;
}
