import { setTimeout as sleep } from 'node:timers/promises';
import { ours } from '../distributed/contender-names.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import { progress } from '../runner.ts';
import { number, type Table } from '../table.ts';
import { PostgresScene } from './scene.ts';

const waiters = [0, 19, 190];

/** Measures the cost of waiting: one process holds the limit while callers of another one wait. */
export async function idle(plan: DistributedPlan): Promise<Table> {
  const rates: number[] = [];
  for (const count of waiters) {
    progress(`idle: ${count}`);
    rates.push(await transactions(count, plan));
  }
  const [none = Number.NaN, , many = Number.NaN] = rates;
  return {
    title: 'Transactions per second of two processes while all permits are held',
    columns: ['', ...waiters.map((count) => `${count} waiters`)],
    rows: [[ours, ...rates.map(number)]],
    goals: [{ what: '190 waiters beyond none', target: 2, measured: many - none, unit: '/s' }],
  };
}

function transactions(count: number, { idle }: DistributedPlan): Promise<number> {
  return PostgresScene.during(async (scene) => {
    const [holder, waiter] = await scene.workers(2, { contender: ours, limit: 10 });
    await holder?.ask('hold', 10);
    await waiter?.ask('queue', count);
    await sleep(500);
    const before = await scene.transactions();
    const start = performance.now();
    await sleep(idle);
    const after = await scene.transactions();
    return ((after - before) * 1_000) / (performance.now() - start);
  });
}
