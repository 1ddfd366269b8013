// The load generator's process: runs tasks against a server on this machine, one after the other.
import { closedLoop } from './capacity.ts';
import { hangUp, warmUp } from './client.ts';
import { type Attempt, openLoop } from './open-loop.ts';
import type { Phase } from './plan.ts';
import { schedule, seeded } from './schedule.ts';

export type Task = { port: number } & (
  | { kind: 'capacity'; workers: number; warmUp: number; measure: number }
  | { kind: 'visitors'; phases: readonly Phase[]; clientTimeout: number }
);

const slack = 15_000;
const warm = new Set<number>();
const send = (kind: string, value: unknown) => process.send?.({ kind, value });

process.on('disconnect', () => process.exit());
process.on('message', async (task: Task) => {
  // A task that does not end is aborted together with this process.
  const watchdog = setTimeout(() => process.exit(1), maxDuration(task) + slack);
  if (!warm.has(task.port)) await warmUp(task.port);
  warm.add(task.port);
  const result = await perform(task);
  hangUp();
  clearTimeout(watchdog);
  send('done', result);
});

function perform(task: Task): Promise<number | Attempt[]> {
  if (task.kind === 'capacity') {
    return closedLoop(task.port, task.workers, task.warmUp, task.measure);
  }
  const due = schedule(task.phases, seeded(1));
  return openLoop(task.port, due, task.clientTimeout, (tally) => send('tally', tally));
}

function maxDuration(task: Task): number {
  if (task.kind === 'capacity') return task.warmUp + task.measure;
  return Math.max(...task.phases.map((phase) => phase.to)) + task.clientTimeout;
}
