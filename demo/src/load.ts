// The load generator's process: does one task against this machine's server, reports, and ends.
import { closedLoop } from './capacity.ts';
import { hangUp, warmUp } from './client.ts';
import { type Attempt, openLoop } from './open-loop.ts';
import type { Phase } from './plan.ts';
import { schedule, seeded } from './schedule.ts';

export type Task =
  | { kind: 'capacity'; port: number; workers: number; warmUp: number; measure: number }
  | { kind: 'visitors'; port: number; phases: readonly Phase[]; patience: number };

const slack = 15_000;
const task: Task = JSON.parse(process.argv[2] ?? '{}');
// Its own disconnect, when it is done, and that of a parent that died.
process.on('disconnect', () => process.exit());
setTimeout(() => process.exit(1), longest(task) + slack).unref();

const say = (kind: string, value: unknown, sent?: () => void) =>
  process.send?.({ kind, value }, undefined, undefined, sent);
await warmUp(task.port);
const result = await perform(task);
hangUp();
say('done', result, () => process.disconnect());

function perform(task: Task): Promise<number | Attempt[]> {
  if (task.kind === 'capacity') {
    return closedLoop(task.port, task.workers, task.warmUp, task.measure);
  }
  const due = schedule(task.phases, seeded(1));
  return openLoop(task.port, due, task.patience, (tally) => say('tally', tally));
}

function longest(task: Task): number {
  if (task.kind === 'capacity') return task.warmUp + task.measure;
  return Math.max(...task.phases.map((phase) => phase.to)) + task.patience;
}
