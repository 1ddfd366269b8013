import { progress } from '../runner.ts';
import { ours } from '../sharing/contender-names.ts';
import type { Plan } from '../sharing/plan.ts';
import type { WorkerProcess } from '../sharing/worker-process.ts';
import { number, type Table } from '../table.ts';
import { PostgresScene } from './scene.ts';

/** Cycles that a rate is measured in. */
const sample = 1_000;

interface Look {
  cycles: number;
  /** Pairs a second in the last of them. */
  rate: number;
  bytes: number;
}

/**
 * What acquires and releases leave behind, with autovacuum as it is, and while a transaction keeps it from its work.
 */
export async function bloat(plan: Plan): Promise<Table> {
  const looks = await PostgresScene.during((scene) => measure(scene, plan));
  const { first, last, 'held back': held, 'after that': after } = looks;
  return {
    title: 'What acquires and releases of one caller leave behind',
    columns: ['', 'cycles', 'pairs/s', 'kB of tables and indexes'],
    rows: Object.entries(looks).map(([what, { cycles, rate, bytes }]) => [
      what,
      ...[cycles, rate, bytes / 1_024].map(number),
    ]),
    goals: [
      {
        what: 'bytes at the end over the first',
        target: 2,
        measured: last.bytes / first.bytes,
        unit: '×',
      },
      {
        what: 'pairs/s at the end over the first',
        target: 0.8,
        atLeast: true,
        measured: last.rate / first.rate,
        unit: '×',
      },
    ],
    notes: [
      `While a transaction elsewhere held a snapshot for ${held.cycles} cycles the last had ${number(held.rate / last.rate)} × the pairs/s of before; ` +
        `when it had ended, ${number(after.rate / last.rate)} ×.`,
    ],
  };
}

async function measure(scene: PostgresScene, { cycles }: Plan) {
  const [worker] = (await scene.workers(1, { contender: ours })) as [WorkerProcess];
  const look = async (count: number): Promise<Look> => {
    progress(`bloat: ${count} cycles`);
    await worker.ask('cycles', Math.max(0, count - sample));
    const rate = await worker.ask('cycles', Math.min(count, sample));
    return { cycles: count, rate, bytes: await scene.bytes() };
  };
  const first = await look(cycles / 10);
  const half = await look(cycles * 0.4);
  const last = await look(cycles / 2);
  const release = await scene.holdBack();
  const held = await look(cycles / 10);
  await release();
  const after = await look(sample);
  return { first, half, last, 'held back': held, 'after that': after };
}
