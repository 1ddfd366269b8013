import { Clients, type Outcome, openLoop } from 'headgate/load';
import { arrivals } from '../../overload/arrivals.ts';
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
  const outcomes = await outcomesOf(port, patience);
  const answered = outcomes.filter((outcome) => outcome === 'answered').length;
  const rejected = outcomes.filter((outcome) => outcome === 'rejected').length;
  const [, { duration } = { duration: 0 }] = phases;
  return {
    answered: answered / (CAPACITY * duration),
    rejected: rejected / (outcomes.length - answered),
  };
}

/** The outcomes of the counted requests. */
async function outcomesOf(port: number, patience: number): Promise<Outcome[]> {
  const clients = new Clients();
  const call = { host: '127.0.0.1', port, path: SLOW };
  const load = phases.map((phase) => ({ ...phase, rate: LOAD * CAPACITY }));
  const attempts = await openLoop(arrivals(load, SEED), patience, async (_, timeout) => {
    return (await clients.send(call, timeout)).outcome;
  });
  clients.close();
  return attempts.filter(({ phase }) => phase === 'counted').map(({ outcome }) => outcome);
}
