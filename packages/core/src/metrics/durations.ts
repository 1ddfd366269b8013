import type { Observer } from '../semaphore/observer.ts';
import { type Metric, metrics } from './definitions.ts';
import type { Attributes, LimitAttributes } from './measurements.ts';

/** A series of a histogram. */
export interface Series {
  /** @param seconds The value to add. */
  record(seconds: number): void;
  /** Called when the limit is removed. */
  remove?(): void;
}

export type OpenSeries = (metric: Metric, attributes: Attributes) => Series;

/** Records what `stats()` does not have: how long requests were queued, and permits were held. */
export class Durations {
  readonly observer: Observer;
  /** Queued requests: those admitted at once are not part of the histogram of waits. */
  readonly #queued = new Set<object>();
  /** By outcome. */
  readonly #waits = new Map<string, Series>();
  readonly #held: Series;

  constructor(
    private readonly attributes: LimitAttributes,
    private readonly open: OpenSeries,
  ) {
    this.#held = open(metrics.held, attributes.all);
    this.observer = {
      queued: ({ request }) => void this.#queued.add(request),
      admitted: ({ request, waited }) => this.#left(request, 'admitted', waited),
      withdrawn: ({ request, waited }) => this.#left(request, 'withdrawn', waited),
      rejected: ({ request, rejection, shadow }) => {
        if (!shadow) this.#left(request, rejection.reason, rejection.waited);
      },
      released: ({ held }) => {
        if (held !== undefined) this.#held.record(held / 1000);
      },
    };
  }

  remove(): void {
    this.#held.remove?.();
    for (const series of this.#waits.values()) series.remove?.();
  }

  #left(request: object, outcome: string, waited: number): void {
    if (this.#queued.size === 0 || !this.#queued.delete(request)) return;
    let series = this.#waits.get(outcome);
    if (series === undefined) {
      series = this.open(metrics.timeInQueue, this.attributes.with(outcome));
      this.#waits.set(outcome, series);
    }
    series.record(waited / 1000);
  }
}
