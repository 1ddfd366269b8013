import { progress } from '../runner.ts';
import { ours } from '../sharing/contender-names.ts';
import type { Plan } from '../sharing/plan.ts';
import type { WorkerProcess } from '../sharing/worker-process.ts';
import { number, type Table } from '../table.ts';
import { PostgresScene } from './scene.ts';

interface Look {
  what: string;
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
  const of = (what: string) => looks.find((look) => look.what === what) as Look;
  const [first, last, held, after] = ['first', 'last', 'held back', 'after that'].map(of) as [
    Look,
    Look,
    Look,
    Look,
  ];
  return {
    title: 'What acquires and releases of one caller leave behind',
    columns: ['', 'cycles', 'pairs/s', 'kB of tables and indexes'],
    rows: looks.map((look) => [
      look.what,
      ...[look.cycles, look.rate, look.bytes / 1_024].map(number),
    ]),
    goals: [
      {
        what: 'bytes at the end over the first',
        target: 2,
        measured: last.bytes / first.bytes,
        unit: '×',
      },
      {
        ...{ what: 'pairs/s at the end over the first', target: 0.8, atLeast: true, unit: '×' },
        measured: last.rate / first.rate,
      },
    ],
    notes: [
      `While a transaction elsewhere held a snapshot for ${held.cycles} cycles the last had ${number(held.rate / last.rate)} × the pairs/s of before; ` +
        `when it had ended, ${number(after.rate / last.rate)} ×.`,
    ],
  };
}

async function measure(scene: PostgresScene, { cycles }: Plan): Promise<Look[]> {
  const [worker] = (await scene.workers(1, { contender: ours })) as [WorkerProcess];
  const looks: Look[] = [];
  const look = async (what: string, count: number) => {
    progress(`bloat: ${what}`);
    await worker.ask('cycles', Math.max(0, count - sample));
    const rate = await worker.ask('cycles', Math.min(count, sample));
    looks.push({ what, cycles: count, rate, bytes: await scene.bytes() });
  };
  await look('first', cycles / 10);
  await look('half', cycles * 0.4);
  await look('last', cycles / 2);
  const release = await scene.holdBack();
  await look('held back', cycles / 10);
  await release();
  await look('after that', sample);
  return looks;
}

/** Cycles that a rate is measured in. */
const sample = 1_000;
