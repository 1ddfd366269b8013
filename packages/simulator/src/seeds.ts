const seeds = [1, 2, 3, 4];

/** What comes of a few runs that chance alone tells apart. */
export function withEachSeed<T>(run: (seed: number) => T): T[] {
  return seeds.map(run);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
