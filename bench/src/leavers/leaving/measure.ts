import { setTimeout as delay } from 'node:timers/promises';
import { portOf } from '../../hosts/host.ts';
import { arrivals } from '../../overload/arrivals.ts';
import { ask, type Call, leave } from '../clients.ts';
import { HANDLER_MS } from './kind.ts';
import { kinds } from './kinds.ts';
import { LIMIT, limiter } from './limit.ts';

export interface LeavingCell {
  kind: string;
  /** The part of the clients that leave. */
  part: number;
}

export interface LeavingFigures {
  /** The part of the other clients that got a response. */
  answered: number;
  /** Permits that are held when all handlers are done. */
  held: number;
}

/** About how many clients stay. */
const OTHERS = 100;
/** The part of the limit that is used. */
const USE = 0.4;
const SEED = 1;
/** Milliseconds after the last handler. */
const PAUSE_MS = 300;

/** The path of all requests, which is also the name of a file. */
const path = '/kind.js';

export async function measure({ kind, part }: LeavingCell): Promise<LeavingFigures> {
  const known = kinds[kind];
  if (known === undefined) throw new Error(`no kind is called ${kind}`);
  const { upload, duration = HANDLER_MS, rate = (USE * LIMIT * 1_000) / duration } = known;
  const port = await portOf(await known.serve());
  const call: Call = upload === undefined ? { path } : { path, upload };
  const start = performance.now();
  const answers: Promise<boolean>[] = [];
  const phase = { name: 'load', duration: OTHERS / (rate * (1 - part)), rate, critical: part };
  for (const { at, critical: leaves } of arrivals([phase], SEED)) {
    await delay(start + at - performance.now());
    if (leaves) leave(port, call, Math.random() * duration);
    else answers.push(ask(port, call));
  }
  const answered = (await Promise.all(answers)).filter(Boolean).length / answers.length;
  await delay(duration + PAUSE_MS);
  return { answered, held: limiter.holders };
}
