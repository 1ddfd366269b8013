/** Counts admissions by the weight in flight then. Each admission costs an increment. */
export class InflightHistogram {
  peak = 0;
  /** By powers of two, whose upper bounds are 1, 2, 4 and so on. An array of doubles, as it is updated the fastest. */
  private readonly counts = new Float64Array(33);

  /** @param inflight The weight in flight, with that of the new permit. */
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
