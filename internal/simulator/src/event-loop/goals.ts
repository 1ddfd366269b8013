import { randomFrom } from '../random.ts';
import { p99Of } from './figures.ts';
import { type Workload, waitOf } from './workload.ts';

/** What the default limit should achieve, as ranges. */
export interface Goals {
  /** Answers, as a percentage of those of the reference. */
  readonly ratio: readonly [least: number, most: number];
  /** 99th percentile in milliseconds. */
  readonly p99: readonly [least: number, most: number];
  /** Percentage rejected. */
  readonly rejected: readonly [least: number, most: number];
}

export function goalsOf(workload: Workload): Goals {
  const { kind, mean, load } = workload;
  const longest = Math.max(300, 12 * (mean + waitOf(kind))) + unloadedP99(workload);
  return {
    ratio: [load > 1 ? 97 : 98, Infinity],
    // Up to the capacity there is no goal, since the reference is a queue with the same 99th percentile.
    p99: [0, load > 1 ? Math.round(longest) : Infinity],
    rejected: [0, load <= 0.8 && mean <= 25 ? 0.5 : 100],
  };
}

const SAMPLES = 10_000;

/** The 99th percentile of the time that a handler takes without load, in milliseconds. */
function unloadedP99({ kind, serviceTime }: Workload): number {
  const random = randomFrom(1);
  return waitOf(kind) + p99Of(Array.from({ length: SAMPLES }, () => serviceTime(random)));
}
