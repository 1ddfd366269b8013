const seeds = [1, 2, 3, 4];

/** The mean of a few courses that chance alone tells apart. */
export function meanOfCourses(run: (seed: number) => number): number {
  return seeds.reduce((sum, seed) => sum + run(seed), 0) / seeds.length;
}
