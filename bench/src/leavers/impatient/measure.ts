import { setTimeout as delay } from 'node:timers/promises';
import { arrivals } from '../../overload/arrivals.ts';
import { statusOf } from '../clients.ts';
import { type Framework, startApp } from '../hanging/app.ts';
import { LIMIT } from '../hanging/limit.ts';
import { SLOW, Work } from '../hanging/work.ts';

export interface ImpatientCell {
  framework: Framework;
  app: string;
  /** How long each client waits, in milliseconds. */
  patience: number;
}

export interface ImpatientFigures {
  /** The requests that were answered in time, relative to the capacity. */
  answered: number;
  /** The part of the other requests that was rejected with 503 in time. */
  rejected: number;
}

/** How long a handler takes, in milliseconds. */
const HANDLER_MS = 40;
/** Multiple of the capacity. */
const LOAD = 2;
/** Seconds. Requests are counted in the second phase, amid the load. */
const phases = [
  { name: 'before', duration: 2 },
  { name: 'counted', duration: 10 },
  { name: 'after', duration: 2 },
];
const SEED = 1;

/** Requests per second. */
const CAPACITY = (LIMIT * 1_000) / HANDLER_MS;

export async function measure({
  framework,
  app,
  patience,
}: ImpatientCell): Promise<ImpatientFigures> {
  const work = new Work();
  work.duration = HANDLER_MS;
  const port = await startApp(framework, app, work);
  const statuses = await statusesOf(port, patience);
  const answered = statuses.filter((status) => status === 200).length;
  const rejected = statuses.filter((status) => status === 503).length;
  const [, { duration } = { duration: 0 }] = phases;
  return {
    answered: answered / (CAPACITY * duration),
    rejected: rejected / (statuses.length - answered),
  };
}

/** The statuses of the counted requests; undefined for those whose clients left. */
async function statusesOf(port: number, patience: number): Promise<(number | undefined)[]> {
  const counted: Promise<number | undefined>[] = [];
  const all: Promise<unknown>[] = [];
  const start = performance.now();
  const load = phases.map((phase) => ({ ...phase, rate: LOAD * CAPACITY }));
  for (const { at, phase } of arrivals(load, SEED)) {
    const wait = start + at - performance.now();
    if (wait > 1) await delay(wait);
    const status = statusOf(port, { path: SLOW }, patience);
    all.push(status);
    if (phase === 'counted') counted.push(status);
  }
  await Promise.all(all);
  return Promise.all(counted);
}
