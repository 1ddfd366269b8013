const seeds = [1, 2, 3, 4];

/** Runs with a few seeds, and returns the results. */
export function withEachSeed<T>(run: (seed: number) => T): T[] {
  return seeds.map(run);
}
