import { ask, leave } from '../clients.ts';
import { type Framework, startApp } from './app.ts';
import { limiter } from './limit.ts';
import { clock, delay, SPEED } from './scaled-time.ts';
import { FAST, SLOW, Work } from './work.ts';

/** A dependency that hangs, and the clients that do not wait for it. Times are in milliseconds. */
export interface Hang {
  /** How long each request of the dependency takes. */
  hang: number;
  /** How long each client waits. */
  patience: number;
  /** Whether as many clients request a fast route, and stay. */
  amidFast: boolean;
}

export interface HangingCell extends Hang {
  framework: Framework;
  app: string;
}

export interface HangingFigures {
  /** The most handlers that ran at once while clients arrived. */
  handlers: number;
  /** Milliseconds after the last handler until all permits are back; null if they are not back within `MAX_BACK_MS`. */
  back: number | null;
}

/** Milliseconds between two clients. */
const INTERVAL_MS = 80;
/** Milliseconds between two requests that look for a permit after the hang. */
const POLL_MS = 100;
const MAX_BACK_MS = 60_000;

export async function measure({ framework, app, ...hang }: HangingCell): Promise<HangingFigures> {
  const work = new Work();
  const port = await startApp(framework, app, work);
  await load(port, work, hang);
  const { mostAtOnce: handlers } = work;
  await work.end();
  return { handlers, back: await untilBack(port) };
}

/** Long enough for the first handlers to end while clients arrive. */
async function load(port: number, work: Work, { hang, patience, amidFast }: Hang): Promise<void> {
  work.duration = hang;
  const duration = hang + Math.max(1_000, hang / 5);
  const start = clock.now();
  const fast: Promise<boolean>[] = [];
  for (let due = 0; due < duration; due += INTERVAL_MS) {
    await delay(start + due - clock.now());
    leave(port, { path: SLOW }, patience / SPEED);
    if (amidFast) fast.push(ask(port, { path: FAST }));
  }
  await Promise.all(fast);
}

/** A client continues to send requests: their responses show that the dependency no longer hangs. */
async function untilBack(port: number): Promise<number | null> {
  const start = clock.now();
  while (limiter.holders > 0) {
    if (clock.now() - start > MAX_BACK_MS) return null;
    await ask(port, { path: SLOW });
    await delay(POLL_MS);
  }
  return clock.now() - start;
}
