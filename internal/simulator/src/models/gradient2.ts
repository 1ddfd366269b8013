import type { Limit, LimitFactory, Sample } from '@headgate/core';

/**
 * Netflix's Gradient2. Shows the effect of an average as the baseline, and how to write a limit of your own. The
 * parameters are those of concurrency-limits: tolerance 1.5, smoothing 0.2, queue 4, a long average of 600 samples.
 */
export const gradient2: LimitFactory = { create: () => new Gradient2() };

/** The number of samples of the exponential average that corresponds to the long average. */
const longSamples = 300;

class Gradient2 implements Limit {
  limit = 60;
  #long = 0;

  sample({ rtt, inflight }: Sample): void {
    this.#long += this.#long === 0 ? rtt : (rtt - this.#long) / longSamples;
    if (this.#long / rtt > 2) this.#long *= 0.95;
    if (inflight < this.limit / 2) return;
    const gradient = Math.max(0.5, Math.min(1, (1.5 * this.#long) / rtt));
    this.limit = this.limit * 0.8 + (gradient * this.limit + 4) * 0.2;
  }
}
