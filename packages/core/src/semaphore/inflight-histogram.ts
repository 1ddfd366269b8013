/** Counts admissions by the weight that was in flight. Recording an admission costs one increment. */
export class InflightHistogram {
  peak = 0;
  /**
   * One bucket for each power of two: 1, 2, 4 and so on are the upper bounds. A `Float64Array` is the fastest to
   * update.
   */
  private readonly counts = new Float64Array(33);

  /** @param inflight The weight in flight, including the new permit. */
  record(inflight: number): void {
    if (inflight > this.peak) this.peak = inflight;
    (this.counts[bucketOf(inflight)] as number)++;
  }

  stats() {
    const length = this.peak === 0 ? 0 : 1 + bucketOf(this.peak);
    return { inflightPeak: this.peak, inflightHistogram: [...this.counts.subarray(0, length)] };
  }
}

function bucketOf(inflight: number): number {
  return 32 - Math.clz32(inflight - 1);
}
