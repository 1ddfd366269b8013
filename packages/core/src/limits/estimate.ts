/** Number of values that a moving average covers. With few, quick work would hide that other work takes long. */
export const AVERAGED = 20;

/** The moving average after another value. An average of 0 is unknown until then. */
export function averaged(average: number, value: number): number {
  return average + (value - average) / (average ? AVERAGED : 1);
}

/** A mean and its margin of error. */
export class Estimate {
  count = 0;
  mean = 0;
  /** Sum of the squared deviations from the mean. */
  private squares = 0;

  static of(values: readonly number[]): Estimate {
    const estimate = new Estimate();
    for (const value of values) estimate.add(value);
    return estimate;
  }

  /** Two standard errors. */
  get margin(): number {
    return this.count < 2 ? 0 : 2 * Math.sqrt(this.squares / (this.count - 1) / this.count);
  }

  add(value: number): void {
    const deviation = value - this.mean;
    this.mean += deviation / ++this.count;
    this.squares += deviation * (value - this.mean);
  }

  /** Adds the values of another estimate. Together, they weigh as much as at most `maxCount` values. */
  include({ count, mean, squares }: Estimate, maxCount: number): void {
    if (count === 0) return;
    const total = this.count + count;
    const difference = mean - this.mean;
    this.mean += (difference * count) / total;
    this.squares += squares + (difference ** 2 * this.count * count) / total;
    this.count = Math.min(total, maxCount);
    this.squares *= this.count / total;
  }
}
