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

/**
 * Marks requests that were queued, since the histogram of waits excludes requests admitted at once. A Set of them would
 * cost the garbage collector several times as much (docs/decisions/0008).
 */
const wasQueued = Symbol('headgate.queued');

interface Marked {
  [wasQueued]?: true;
}

/** Records what `stats()` does not contain: how long requests were queued, and how long permits were held. */
export class Durations {
  readonly observer: Observer;
  /** By outcome. */
  readonly #waits = new Map<string, Series>();
  readonly #held: Series;

  constructor(
    private readonly attributes: LimitAttributes,
    private readonly open: OpenSeries,
  ) {
    this.#held = open(metrics.held, attributes.all);
    this.observer = {
      queued: ({ request }: { request: Marked }) => {
        request[wasQueued] = true;
      },
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

  #left(request: Marked, outcome: string, waited: number): void {
    if (request[wasQueued] === undefined) return;
    let series = this.#waits.get(outcome);
    if (series === undefined) {
      series = this.open(metrics.timeInQueue, this.attributes.with(outcome));
      this.#waits.set(outcome, series);
    }
    series.record(waited / 1000);
  }
}
