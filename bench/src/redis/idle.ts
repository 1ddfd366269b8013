import { setTimeout as sleep } from 'node:timers/promises';
import { ours } from '../distributed/contender-names.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import { progress } from '../runner.ts';
import { number, type Table } from '../table.ts';
import { bound } from './contender-names.ts';
import { RedisScene } from './scene.ts';

const contenders = [ours, bound, 'redis-semaphore'];
const waiters = [0, 19, 190];

/** Measures the cost of waiting: one process holds the limit while callers of another one wait. */
export async function idle(plan: DistributedPlan): Promise<Table> {
  const rows: string[][] = [];
  const rates = new Map<string, number[]>();
  for (const contender of contenders) {
    progress(`idle: ${contender}`);
    const all = await Promise.all(waiters.map((count) => requests(contender, count, plan)));
    rates.set(contender, all);
    rows.push([contender, ...all.map(number)]);
  }
  const [none = Number.NaN, , many = Number.NaN] = rates.get(ours) ?? [];
  return {
    title: 'Client requests per second while all permits are held',
    columns: ['', ...waiters.map((count) => `${count} waiters`)],
    rows,
    goals: [{ what: '190 waiters beyond none', target: 2, measured: many - none, unit: '/s' }],
  };
}

function requests(contender: string, count: number, { idle }: DistributedPlan): Promise<number> {
  return RedisScene.during(async (scene) => {
    const [holder, waiter] = await scene.workers(2, { contender, limit: 10, counted: true });
    await holder?.ask('hold', 10);
    await waiter?.ask('queue', count);
    await sleep(500);
    const before = scene.commands;
    await sleep(idle);
    return ((scene.commands - before) * 1_000) / idle;
  });
}
