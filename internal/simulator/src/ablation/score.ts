import { compare } from '../event-loop/compare.ts';
import { randomWorkload } from '../event-loop/named-workload.ts';
import { randomFrom } from '../random.ts';
import { situations } from './situations.ts';

/**
 * For each random workload, the answers in time relative to the reference; for each situation, its result from 0 to 1.
 */
export interface Score {
  readonly random: Readonly<Record<string, number>>;
  readonly situations: Readonly<Record<string, number>>;
}

/** @param seeds From each seed, `count` workloads are drawn. */
export function score(seeds: readonly number[], count: number): Score {
  const random: Record<string, number> = {};
  for (const seed of seeds) {
    const next = randomFrom(seed);
    for (let drawn = 0; drawn < count; ) {
      const workload = randomWorkload(next);
      // The default limit is not meant for workloads with a few very long requests.
      if (workload.distribution === '1 % a hundred times as long') continue;
      // At most 1. If no queue keeps its p99 that low, the reference answers almost nothing, and the ratio would be
      // huge.
      random[`${workload.name} (${workload.seed})`] = Math.min(1, compare(workload).ratio);
      drawn++;
    }
  }
  const answered = situations.map(({ name, answered }) => [name, answered()] as const);
  return { random, situations: Object.fromEntries(answered) };
}
