import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { milliseconds } from '../timing.ts';
import type { Contender } from './contender.ts';

/** Milliseconds within which callers start: if all started at once, each process's callers would queue as a block. */
const entry = 200;

/** Callers of one process, which acquire, work and release repeatedly. */
export interface Load {
  callers: number;
  /** Milliseconds of work; 0: none. */
  work: number;
  /** Milliseconds before the measurement. In the first half callers do no work, so that all code is executed often. */
  warmUp: number;
  /** Duration of the measurement in milliseconds. */
  duration: number;
}

/** The results of the measurement. */
export interface Served {
  /** The wait of each granted caller in milliseconds. */
  waits: Float64Array;
  /** Lease operations sent, by verb; empty if the contender does not count them. */
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

/** One caller that acquires and releases repeatedly. */
export interface Alone {
  /** Milliseconds. */
  duration: number;
  /** Whether to wait until the store has processed the release, so that no operations are sent together. */
  oneByOne: boolean;
}

export interface Pairs {
  /** Number of acquires with their releases. */
  count: number;
  /** Pairs per second. */
  rate: number;
}

/** Callers that need no round trip would otherwise never yield to the event loop. */
const YIELD_INTERVAL = 64;

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
    if (++count % YIELD_INTERVAL === 0) await setImmediate();
  }
  return { count, rate: (count * 1_000) / (milliseconds() - start) };
}
