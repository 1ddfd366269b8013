import type { ChildProcess } from 'node:child_process';
import type { Work } from './app.ts';
import { each, next, start } from './child.ts';
import type { Run } from './comparison.ts';
import type { Task } from './load.ts';
import type { Attempt, Tally } from './open-loop.ts';
import { clientTimeout, type Phase, type Plan } from './plan.ts';
import { progressOf } from './progress.ts';
import { summarize } from './summary.ts';

export interface Server {
  readonly process: ChildProcess;
  readonly port: number;
}

export async function startServer(isGuarded: boolean): Promise<Server> {
  const process = start('./server.ts', { isGuarded });
  return { process, port: await next<number>(process, 'listening') };
}

export const startLoad = (): ChildProcess => start('./load.ts');

export function measureCapacity(
  load: ChildProcess,
  server: Server,
  workers: number,
  { warmUp, measure }: Plan,
): Promise<number> {
  const { port } = server;
  return perform(load, server, { kind: 'capacity', port, workers, warmUp, measure });
}

/** Sends the requests of all phases to a server. */
export async function sendLoad(
  load: ChildProcess,
  server: Server,
  title: string,
  phases: readonly [Phase, Phase, Phase],
  capacity: number,
): Promise<Run> {
  const progress = progressOf(title, phases, capacity);
  const ignore = each<Tally>(load, 'tally', progress.update);
  const task: Task = { kind: 'visitors', port: server.port, phases, clientTimeout };
  const attempts = await perform<Attempt[]>(load, server, task);
  ignore();
  progress.done();
  if (!attempts.some(({ outcome }) => outcome === 'answered')) {
    throw new Error(`${title}: not one request was answered`);
  }
  return { attempts, summary: summarize(attempts, phases[1], await workOf(server)) };
}

function perform<T>(load: ChildProcess, server: Server, task: Task): Promise<T> {
  load.send(task);
  return next<T>(load, 'done', server.process);
}

function workOf({ process }: Server): Promise<Work> {
  process.send('work');
  return next<Work>(process, 'work');
}
