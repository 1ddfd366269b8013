import { lcg } from '@headgate/test-kit/lcg';

/** A random number generator. The same seed gives the same numbers. */
export class Rng {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = lcg(seed);
    // Mixed, because similar seeds would otherwise produce similar first numbers.
    for (let i = 0; i < 4; i++) this.#next();
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** A number from `low` to below `high`. */
  between(low: number, high: number): number {
    return low + this.#next() * (high - low);
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)];
  }
}

/** The same elements in a random order. */
export function shuffled<T>(list: readonly T[], rng: Rng): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(rng.below(rest.length), 1)[0] as T);
}
