/** Number of buckets per doubling of the wait, so that a quantile is at most 9 % too high. */
const RESOLUTION = 8;

/** A histogram of waits, in milliseconds. */
export class WaitHistogram {
  /** Counts by the logarithm of the wait. The first counts requests without a wait. */
  readonly #counts: number[] = [0];
  #total = 0;

  record(wait: number): void {
    const bucket = wait > 0 ? 1 + Math.max(0, Math.ceil(RESOLUTION * Math.log2(wait))) : 0;
    while (this.#counts.length <= bucket) this.#counts.push(0);
    (this.#counts[bucket] as number)++;
    this.#total++;
  }

  /** The wait in whole milliseconds that this fraction of requests does not exceed. */
  quantile(share: number): number {
    let count = 0;
    const bucket = this.#counts.findIndex((each) => {
      count += each;
      return count >= share * this.#total;
    });
    return bucket === 0 ? 0 : Math.round(2 ** ((bucket - 1) / RESOLUTION));
  }
}
