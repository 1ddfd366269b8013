import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { milliseconds } from '../timing.ts';
import type { Contender } from './contender.ts';

/**
 * The interval in milliseconds over which callers start. If all started at once, each process's callers would be next
 * to each other in the queue.
 */
const startInterval = 200;

/** The callers of one process, which acquire, work, release and start over. */
export interface Load {
  callers: number;
  /** The time of work in milliseconds; 0 releases immediately. */
  work: number;
  /** The warm-up in milliseconds. In its first half there is no work, so that all code has run often by its end. */
  warmUp: number;
  /** The measured time in milliseconds. */
  duration: number;
}

/** The results of the measured time. */
export interface Served {
  /** The wait of each granted caller in milliseconds. */
  waits: Float64Array;
  /** Lease operations sent, by kind; empty if commands are counted instead. */
  operations: Record<string, number>;
}

export async function crowd(contender: Contender, load: Load): Promise<Served> {
  const { callers, work, warmUp, duration } = load;
  const begin = milliseconds() + warmUp;
  const end = begin + duration;
  const workFrom = begin - warmUp / 2;
  const waits: number[] = [];
  const caller = async () => {
    await sleep(startInterval * Math.random());
    for (;;) {
      const asked = milliseconds();
      const held = await contender.acquire();
      const now = milliseconds();
      if (now >= end) return void held.release();
      if (now >= begin) waits.push(now - asked);
      if (work > 0 && now >= workFrom) await sleep(work);
      void held.release();
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

/** A single caller in a loop. */
export interface Alone {
  /** The duration in milliseconds. */
  duration: number;
  /** Whether to wait until the store has processed the release: one call at a time, without batches. */
  oneByOne: boolean;
}

export interface Pairs {
  /** Number of pairs of an acquire and a release. */
  count: number;
  /** Pairs per second. */
  rate: number;
}

/** Permits granted without a round trip would otherwise block the event loop. */
const yieldEvery = 64;

export async function sequence(
  contender: Contender,
  { duration, oneByOne }: Alone,
): Promise<Pairs> {
  const start = milliseconds();
  let count = 0;
  while (milliseconds() - start < duration) {
    const held = await contender.acquire();
    const released = held.release();
    if (oneByOne) {
      await released;
      await contender.settled?.();
    }
    if (++count % yieldEvery === 0) await setImmediate();
  }
  return { count, rate: (count * 1_000) / (milliseconds() - start) };
}
