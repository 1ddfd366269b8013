export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The ratios within each round: a temporary slowdown affects both sides of a ratio. */
export function pairedRatios(over: readonly number[], under: readonly number[]): number[] {
  const pairs = Math.min(over.length, under.length);
  return Array.from(
    { length: pairs },
    (_, i) => (over[i] ?? Number.NaN) / (under[i] ?? Number.NaN),
  );
}

export interface Estimate {
  mean: number;
  low: number;
  high: number;
}

/** The geometric mean of ratios with its 95 % confidence interval (Student's t on their logarithms). */
export function estimate(ratios: readonly number[]): Estimate {
  const logs = ratios.map(Math.log);
  const count = logs.length;
  const mean = logs.reduce((sum, x) => sum + x, 0) / count;
  const variance = logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (count - 1);
  const reach =
    count > 1 ? student95(count - 1) * Math.sqrt(variance / count) : Number.POSITIVE_INFINITY;
  return { mean: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
}

/** Two-sided 95 % quantile of Student's t: the Cornish–Fisher expansion, and tables for 1 and 2 degrees. */
export function student95(degrees: number): number {
  if (degrees === 1) return 12.706;
  if (degrees === 2) return 4.303;
  const z = 1.959964;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  const fourth = (79 * z ** 9 + 776 * z ** 7 + 1_482 * z ** 5 - 1_920 * z ** 3 - 945 * z) / 92_160;
  return z + first / degrees + second / degrees ** 2 + third / degrees ** 3 + fourth / degrees ** 4;
}
