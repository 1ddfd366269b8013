import type { Limit, LimitFactory, Sample } from '@headgate/core';

/**
 * Netflix's Gradient2, to show what an average as the measure does, and how one brings a limit of one's own.
 * After concurrency-limits: tolerance 1.5, smoothing 0.2, queue 4, a long average of 600 samples.
 */
export const gradient2: LimitFactory = { create: () => new Gradient2() };

/** Samples of the long average, as an exponential one. */
export const memory = 300;

class Gradient2 implements Limit {
  limit = 60;
  #long = 0;

  sample({ rtt, inflight }: Sample): void {
    this.#long += this.#long === 0 ? rtt : (rtt - this.#long) / memory;
    if (this.#long / rtt > 2) this.#long *= 0.95;
    if (inflight < this.limit / 2) return;
    const gradient = Math.max(0.5, Math.min(1, (1.5 * this.#long) / rtt));
    this.limit = this.limit * 0.8 + (gradient * this.limit + 4) * 0.2;
  }
}
