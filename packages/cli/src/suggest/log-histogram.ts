/** Values of neighbouring buckets differ by this factor. */
const FACTOR = 1.05;

/** A histogram of positive numbers in little memory, whose quantiles are exact to about 2.5 %. */
export class LogHistogram {
  readonly #counts = new Map<number, number>();

  add(value: number): void {
    const bucket = Math.round(Math.log(Math.max(value, 1e-6)) / Math.log(FACTOR));
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
  }

  include(other: LogHistogram): void {
    for (const [bucket, count] of other.#counts) {
      this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count);
    }
  }

  /** The median; 0 without values. */
  get median(): number {
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    let seen = 0;
    for (const [bucket, count] of [...this.#counts].sort(([one], [other]) => one - other)) {
      seen += count;
      if (seen >= total / 2) return FACTOR ** bucket;
    }
    return 0;
  }
}
