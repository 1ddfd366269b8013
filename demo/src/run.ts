import type { ChildProcess } from 'node:child_process';
import type { Work } from './app.ts';
import { each, next, start } from './child.ts';
import type { Run } from './comparison.ts';
import type { Task } from './load.ts';
import type { Attempt, Tally } from './open-loop.ts';
import { type Phase, type Plan, patience } from './plan.ts';
import { progressOf } from './progress.ts';
import type { Protection } from './protection.ts';
import { summarize } from './summary.ts';

export interface Server {
  readonly process: ChildProcess;
  readonly port: number;
}

export async function startServer(protection?: Protection): Promise<Server> {
  const process = start('./server.ts', { protection });
  return { process, port: await next<number>(process, 'listening') };
}

export function measureCapacity(
  server: Server,
  workers: number,
  { warmUp, measure }: Plan,
): Promise<number> {
  const task: Task = { kind: 'capacity', port: server.port, workers, warmUp, measure };
  return next<number>(start('./load.ts', task), 'done');
}

/** Sends the visitors of all phases to a server. */
export async function visitors(
  server: Server,
  title: string,
  phases: readonly [Phase, Phase, Phase],
  capacity: number,
): Promise<Omit<Run, 'capacity'>> {
  const before = await workOf(server);
  const task: Task = { kind: 'visitors', port: server.port, phases, patience };
  const load = start('./load.ts', task);
  const progress = progressOf(title, phases, capacity);
  each<Tally>(load, 'tally', progress.update);
  const attempts = await next<Attempt[]>(load, 'done');
  progress.done();
  if (!attempts.some(({ outcome }) => outcome === 'answered')) {
    throw new Error(`${title}: not one request was answered`);
  }
  const after = await workOf(server);
  const work = { done: after.done - before.done, wasted: after.wasted - before.wasted };
  return { attempts, summary: summarize(attempts, phases[1], work) };
}

function workOf({ process }: Server): Promise<Work> {
  process.send('work');
  return next<Work>(process, 'work');
}
