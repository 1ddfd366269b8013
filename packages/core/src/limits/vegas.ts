import {
  type Bounds,
  checkBounds,
  type Limit,
  type LimitFactory,
  type Range,
  type Sample,
  within,
} from './limit.ts';

/** Samples, as a multiple of the limit, after which the shortest round trip is measured again. */
const PROBE_INTERVAL = 30;

/** Queued requests, in steps, up to which the limit rises quickly and slowly, and above which it falls. */
const THRESHOLD = 1;
const ALPHA = 3;
const BETA = 6;

/**
 * Estimates how many requests queue behind the limit, from the shortest and the latest round trip, and keeps that
 * number small. The shortest is reset periodically, so a lasting overload becomes its baseline: prefer `adaptive`.
 * After TCP Vegas (Brakmo and Peterson, 1995) in the form of Netflix's concurrency-limits.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function vegas(options: Bounds = {}): LimitFactory {
  const range = checkBounds('vegas', options);
  return { create: (random) => new Vegas(range, random) };
}

class Vegas implements Limit {
  limit: number;
  #shortest = 0;
  #samples = 0;
  #probeAfter: number;

  constructor(
    private readonly range: Range,
    private readonly random: () => number,
  ) {
    this.limit = range.initial;
    this.#probeAfter = this.#nextProbe();
  }

  get baseline(): number | undefined {
    return this.#shortest === 0 ? undefined : this.#shortest;
  }

  sample({ rtt, inflight, outcome }: Sample): void {
    const { limit } = this;
    const step = Math.max(1, Math.floor(Math.log10(limit)));
    if (outcome === 'dropped') return this.#move(-step);
    if (rtt <= 0) return;
    if (++this.#samples >= this.#probeAfter) {
      this.#samples = 0;
      this.#probeAfter = this.#nextProbe();
      this.#shortest = 0;
    }
    if (this.#shortest === 0 || rtt < this.#shortest) this.#shortest = rtt;
    else this.#adjust(Math.ceil(limit * (1 - this.#shortest / rtt)), step, 2 * inflight < limit);
  }

  #adjust(queue: number, step: number, unused: boolean): void {
    if (queue > BETA * step) this.#move(-step);
    else if (unused) return;
    else if (queue <= THRESHOLD * step) this.#move(BETA * step);
    else if (queue < ALPHA * step) this.#move(step);
  }

  #move(by: number): void {
    this.limit = within(this.range, this.limit + by);
  }

  #nextProbe(): number {
    return (0.5 + this.random() / 2) * PROBE_INTERVAL * this.limit;
  }
}
