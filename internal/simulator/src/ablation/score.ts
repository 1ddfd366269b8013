import { compare } from '../event-loop/compare.ts';
import { randomWorkload } from '../event-loop/named-workload.ts';
import { randomFrom } from '../random.ts';
import { situations } from './situations.ts';

/** The answers in time under each random workload, relative to the reference; and each situation's result, from 0 to 1. */
export interface Score {
  readonly random: Readonly<Record<string, number>>;
  readonly situations: Readonly<Record<string, number>>;
}

/** @param seeds `count` workloads are drawn from each. */
export function score(seeds: readonly number[], count: number): Score {
  const random: Record<string, number> = {};
  for (const seed of seeds) {
    const next = randomFrom(seed);
    for (let drawn = 0; drawn < count; ) {
      const workload = randomWorkload(next);
      // A few very long requests are no workload that the default limit is for.
      if (workload.distribution === '1 % a hundred times as long') continue;
      // At most 1: where no queue keeps its p99 that low, the reference answers almost nothing, and the ratio is huge.
      random[`${workload.name} (${workload.seed})`] = Math.min(1, compare(workload).ratio);
      drawn++;
    }
  }
  const answered = situations.map(({ name, answered }) => [name, answered()] as const);
  return { random, situations: Object.fromEntries(answered) };
}
