import { MAX_KINDS } from './limit.ts';

/** With fewer samples, a trend may be chance. */
const MIN_SAMPLES = 8;

/**
 * By how many standard errors a slope must exceed zero. More than the usual two, since the test is repeated as work
 * finishes.
 */
const MIN_SIGNIFICANCE = 3;

/**
 * This value, divided by the degrees of freedom, is added to `MIN_SIGNIFICANCE`. The sum approximates a quantile of
 * Student's t-distribution.
 */
const SMALL_SAMPLE_PENALTY = 10;

/** Shorter work counts as this long, in milliseconds, since the logarithm of zero is infinite. */
const MIN_RTT = 0.1;

/** Finished work. */
export interface Work {
  readonly startedAt: number;
  readonly rtt: number;
  readonly kind: string | undefined;
}

/** The means of one kind of work. */
class Means {
  count = 0;
  startedAt = 0;
  logRtt = 0;
}

/**
 * Fits an exponential trend to the durations, and returns its ratio of the last to the first; 1 if that may be chance.
 * Only compares work of the same kind.
 */
export function slowdownOf(work: readonly Work[]): number {
  if (work.length < MIN_SAMPLES) return 1;
  const kinds = new Map<string | undefined, Means>();
  // Sums of products of deviations from the means, updated as in Welford's algorithm.
  let [xx, xy, yy] = [0, 0, 0];
  let [first, last] = [Infinity, -Infinity];
  for (const { startedAt, rtt, kind } of work) {
    const own = kinds.has(kind) || kinds.size < MAX_KINDS ? kind : undefined;
    const means = kinds.get(own) ?? new Means();
    kinds.set(own, means);
    const x = startedAt - means.startedAt;
    const y = Math.log(Math.max(rtt, MIN_RTT)) - means.logRtt;
    const n = ++means.count;
    means.startedAt += x / n;
    means.logRtt += y / n;
    xx += (x * x * (n - 1)) / n;
    xy += (x * y * (n - 1)) / n;
    yy += (y * y * (n - 1)) / n;
    first = Math.min(first, startedAt);
    last = Math.max(last, startedAt);
  }
  const freedom = work.length - kinds.size - 1;
  if (freedom < 1 || xx === 0) return 1;
  const slope = xy / xx;
  const error = Math.sqrt(Math.max(0, yy - slope * xy) / freedom / xx);
  const significance = MIN_SIGNIFICANCE + SMALL_SAMPLE_PENALTY / freedom;
  return slope > significance * error ? Math.exp(slope * (last - first)) : 1;
}
