import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { milliseconds } from '../timing.ts';
import type { Contender } from './contender.ts';

/** Milliseconds within which callers come: at once, whole processes would stand in line one behind another. */
const entry = 200;

/** Callers of one process who acquire, work, release and come again. */
export interface Load {
  callers: number;
  /** Milliseconds, and no time at all if 0. */
  work: number;
  /** Milliseconds before anything is counted. Nobody works in the first half, so that all code has run often then. */
  warmUp: number;
  /** Milliseconds that count. */
  duration: number;
}

/** What they got in the time that counts. */
export interface Served {
  /** Milliseconds that each waited who was let in. */
  waits: Float64Array;
  /** Lease operations sent, by what they are; empty where commands tell. */
  operations: Record<string, number>;
}

export async function crowd(contender: Contender, load: Load): Promise<Served> {
  const { callers, work, warmUp, duration } = load;
  const begin = milliseconds() + warmUp;
  const end = begin + duration;
  const hot = begin - warmUp / 2;
  const waits: number[] = [];
  const caller = async () => {
    await sleep(entry * Math.random());
    for (;;) {
      const asked = milliseconds();
      const place = await contender.acquire();
      const now = milliseconds();
      if (now >= end) return void place.release();
      if (now >= begin) waits.push(now - asked);
      if (work > 0 && now >= hot) await sleep(work);
      void place.release();
    }
  };
  const counted = operationsDuring(contender, warmUp, duration);
  await Promise.all(Array.from({ length: callers }, caller));
  return { waits: Float64Array.from(waits), operations: await counted };
}

async function operationsDuring(
  contender: Contender,
  warmUp: number,
  duration: number,
): Promise<Record<string, number>> {
  await sleep(warmUp);
  const before = { ...contender.operations };
  await sleep(duration);
  const now = Object.entries(contender.operations ?? {});
  return Object.fromEntries(now.map(([what, count]) => [what, count - (before[what] ?? 0)]));
}

/** One caller who comes again and again. */
export interface Alone {
  /** Milliseconds. */
  duration: number;
  /** Whether to wait until the store has the place back: one call at a time, nothing travels together. */
  oneByOne: boolean;
}

export interface Pairs {
  /** Of acquires with their releases. */
  count: number;
  /** In a second. */
  rate: number;
}

/** Those who are let in without a round trip would never let the event loop turn. */
const turnEvery = 64;

export async function sequence(
  contender: Contender,
  { duration, oneByOne }: Alone,
): Promise<Pairs> {
  const start = milliseconds();
  let count = 0;
  while (milliseconds() - start < duration) {
    const place = await contender.acquire();
    const back = place.release();
    if (oneByOne) {
      await back;
      await contender.settled?.();
    }
    if (++count % turnEvery === 0) await setImmediate();
  }
  return { count, rate: (count * 1_000) / (milliseconds() - start) };
}
