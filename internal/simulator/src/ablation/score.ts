import { compare } from '../event-loop/compare.ts';
import { randomWorkload } from '../event-loop/named-workload.ts';
import { randomFrom } from '../random.ts';
import { dependencies } from './dependencies.ts';
import type { Situation } from './situation.ts';
import { situations } from './situations.ts';

/** Results from 0 to 1. */
type Results = Readonly<Record<string, number>>;

export interface Score {
  /** The results whose mean is compared. */
  readonly mean: Results;
  readonly situations: Results;
}

/**
 * For each random workload, the answers in time relative to the reference.
 *
 * @param seeds From each seed, `count` workloads are drawn.
 */
export function scoreDefaultLimit(seeds: readonly number[], count: number): Score {
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
  return { mean: random, situations: resultsOf(situations) };
}

export function scoreAdaptive(): Score {
  return { mean: resultsOf(dependencies), situations: resultsOf(situations) };
}

function resultsOf(list: readonly Situation[]): Results {
  return Object.fromEntries(list.map(({ name, answered }) => [name, answered()]));
}
